/**
 * Run by `tinbox run --tls`: each client delivers with verification, by STARTTLS and implicitly, to the host that is
 * exported; refuses each name that is wrong on purpose; and delivers there when it does not verify. What came is told by the mails that are there.
 */
import {execFile} from 'node:child_process';
import {lookup} from 'node:dns/promises';
import {availableParallelism} from 'node:os';
import path from 'node:path';
import {promisify} from 'node:util';
import {createClient} from '../../../dist/client.js';
import {clients} from './clients.js';

const wrongNames = ['expired', 'wrong-host', 'self-signed', 'untrusted', 'old-tls'];

/**
 * @typedef {object} Attempt
 * @property {string} client
 * @property {boolean} isImplicit
 * @property {string | null} wrong the name to deliver to; null for the host that is exported
 * @property {boolean} isVerified
 */

const {SMTP_HOST = '', SMTP_PORT, SMTP_TLS_PORT, TINBOX_ADDRESS = '', TINBOX_INBOX_ID = ''} = process.env;
const [local, domain = ''] = TINBOX_ADDRESS.split('@');
const oldTls = path.join(import.meta.dirname, 'programs/old-tls.cnf');
const run = promisify(execFile);

const prepared = prepareAll(process.argv.slice(2));
const isResolved = await lookup(`expired.${domain}`).then(
	() => true,
	() => false,
);
const attempts = [...prepared.keys()].flatMap(attemptsOf);
/** @type {Map<Attempt, string>} */
const failures = new Map();
const pending = [...attempts];
await Promise.all(Array.from({length: availableParallelism()}, work));
const arrived = await arrivals();
let isFine = prepared.size > 0;
for (const client of prepared.keys()) {
	print(client);
}

process.exitCode = isFine ? 0 : 1;

/** @param {readonly string[]} names all when there are none */
function prepareAll(names) {
	/** @type {Map<string, readonly string[]>} */
	const commands = new Map();
	for (const name of names.length > 0 ? names : Object.keys(clients)) {
		const client = clients[name];
		if (!client) {
			throw new Error(`There is no client "${name}". There are: ${Object.keys(clients).join(', ')}.`);
		}

		try {
			commands.set(name, client.prepare());
		} catch (error) {
			console.log(`${name}: left out: ${String(error).split('\n').slice(0, 2).join(' ')}`);
		}
	}

	return commands;
}

/**
 * @param {string} client
 * @returns {readonly Attempt[]}
 */
function attemptsOf(client) {
	const wrong = isResolved || clients[client]?.isNamed ? wrongNames : [];
	return [false, true].flatMap(isImplicit => [
		{client, isImplicit, wrong: null, isVerified: true},
		...wrong.flatMap(name => [true, false].map(isVerified => ({client, isImplicit, wrong: name, isVerified}))),
	]);
}

/** Takes attempts until there are none. */
async function work() {
	for (let attempt = pending.pop(); attempt; attempt = pending.pop()) {
		const [command = '', ...args] = prepared.get(attempt.client) ?? [];
		try {
			await run(command, args, {env: {...process.env, ...settingsOf(attempt)}, timeout: 60_000});
		} catch (error) {
			failures.set(attempt, error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error));
		}
	}
}

/**
 * What somebody who uses the client would set.
 * @param {Attempt} attempt
 */
function settingsOf(attempt) {
	const {client, isImplicit, wrong, isVerified} = attempt;
	const name = wrong && `${wrong}.${domain}`;
	const isNamed = clients[client]?.isNamed;
	return {
		SMTP_HOST: isNamed || !name ? SMTP_HOST : name,
		SMTP_NAME: (isNamed && name) || '',
		SMTP_PORT: isImplicit ? SMTP_TLS_PORT : SMTP_PORT,
		IMPLICIT: isImplicit ? '1' : '',
		UNVERIFIED: isVerified ? '' : '1',
		...(!isVerified && {OPENSSL_CONF: oldTls}),
		MAIL_FROM: 'shop@example.com',
		MAIL_TO: recipientOf(attempt),
	};
}

/**
 * Tells the mails apart.
 * @param {Attempt} attempt
 */
function recipientOf({client, isImplicit, wrong, isVerified}) {
	const words = [
		client,
		isImplicit ? 'implicit' : 'starttls',
		wrong ?? 'right',
		isVerified ? 'verified' : 'unverified',
	];
	return `${local}+${words.join('_').replace(/[ /]/g, '-')}@${domain}`.toLowerCase();
}

/** How each mail came, by recipient. */
async function arrivals() {
	const {messages} = createClient();
	const found = await Promise.all(
		[...prepared.keys()].map(client => {
			const to = recipientOf({client, isImplicit: false, wrong: null, isVerified: true}).split('_')[0];
			return messages.list(TINBOX_INBOX_ID, {to, limit: 100});
		}),
	);
	return new Map(found.flat().map(({to, session}) => [to.toLowerCase(), session]));
}

/**
 * One line for the client, and one for each attempt that did not end as it should.
 * @param {string} client
 */
function print(client) {
	const counts = {verified: 0, refused: 0, unverified: 0};
	for (const attempt of attempts.filter(attempt => attempt.client === client)) {
		const expected = attempt.isVerified ? (attempt.wrong ? 'refused' : 'verified') : 'unverified';
		if (expected === 'refused' ? isRefused(attempt) : cameByTls(attempt)) {
			counts[expected] += 1;
		} else {
			isFine = false;
			console.log(`${recipientOf(attempt)}: NOT ${expected} ${failures.get(attempt) ?? ''}`);
		}
	}

	const {verified, refused, unverified} = counts;
	const wrong = isResolved || clients[client]?.isNamed ? '' : '; wrong names do not resolve here';
	console.log(
		`${client}: ${verified} of 2 verified, ${refused} wrong names refused, ${unverified} taken unverified${wrong}`,
	);
}

/** @param {Attempt} attempt */
function isRefused(attempt) {
	return failures.has(attempt) && !arrived.has(recipientOf(attempt));
}

/**
 * Whether the mail is there, and came by the name and the version that it was sent to.
 * @param {Attempt} attempt
 */
function cameByTls(attempt) {
	const {wrong} = attempt;
	const tls = arrived.get(recipientOf(attempt))?.tls;
	const isOld = /^TLSv1(\.1)?$/.test(tls?.version ?? '');
	return tls && isOld === (wrong === 'old-tls') && (!wrong || tls.servername === `${wrong}.${domain}`);
}
