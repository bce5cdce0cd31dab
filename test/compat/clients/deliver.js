/**
 * Run by `tinbox run --tls`: each client must deliver to the exported host by STARTTLS and implicit TLS, must reject each
 * server name with a wrong certificate, and must deliver to it without verification. The stored messages prove the result.
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
 * @property {string | null} wrong server name with a wrong certificate; null for the exported host
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
const sessions = await storedSessions();
let isFine = prepared.size > 0;
for (const client of prepared.keys()) {
	print(client);
}

process.exitCode = isFine ? 0 : 1;

/** @param {readonly string[]} names all clients if empty */
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
			console.log(`${name}: skipped: ${String(error).split('\n').slice(0, 2).join(' ')}`);
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

/** Runs pending attempts until none is left. */
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
 * Environment variables of an attempt.
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
 * A unique recipient for each attempt.
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

/** Session of each stored message by recipient. */
async function storedSessions() {
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
 * Prints one line for the client, and one for each failed attempt.
 * @param {string} client
 */
function print(client) {
	const counts = {verified: 0, refused: 0, unverified: 0};
	for (const attempt of attempts.filter(attempt => attempt.client === client)) {
		const expected = attempt.isVerified ? (attempt.wrong ? 'refused' : 'verified') : 'unverified';
		if (expected === 'refused' ? isRefused(attempt) : isDelivered(attempt)) {
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
	return failures.has(attempt) && !sessions.has(recipientOf(attempt));
}

/**
 * True if the mail was stored with the expected server name and TLS version.
 * @param {Attempt} attempt
 */
function isDelivered(attempt) {
	const {wrong} = attempt;
	const tls = sessions.get(recipientOf(attempt))?.tls;
	const isOld = /^TLSv1(\.1)?$/.test(tls?.version ?? '');
	return tls && isOld === (wrong === 'old-tls') && (!wrong || tls.servername === `${wrong}.${domain}`);
}
