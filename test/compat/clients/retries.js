/**
 * Run by `tinbox run`: each client sends mail under faults and retries. `tinbox faults wait` proves the faults, the stored
 * messages prove the result.
 */
import {execFile} from 'node:child_process';
import path from 'node:path';
import {promisify} from 'node:util';
import nodemailer from 'nodemailer';
import {createClient} from '../../../dist/client.js';
import {startPostfix, whyNoPostfix} from '../../helpers/postfix.js';
import {clients} from './clients.js';

/**
 * @typedef {object} Scenario
 * @property {readonly string[]} fault arguments of `tinbox faults add` after the inbox
 * @property {number} mails number of mails to send
 * @property {readonly string[]} tags of the recipients
 * @property {number} hits number of hits to wait for
 * @property {RegExp} reply expected in each hit
 * @property {number} copies expected copies of each mail
 *
 * @typedef {(envelope: {to: readonly string[], mails: number}) => Promise<void>} Send sends until all mails are accepted or queued
 */

/** @type {Readonly<Record<string, Scenario>>} */
const scenarios = {
	greylisting: {fault: ['greylist'], mails: 1, tags: ['+a', '+b'], hits: 2, reply: /^451 4\.7\.1 /, copies: 1},
	'rate limit': {
		fault: ['rate-limit', '--rate', '2/2s'],
		mails: 5,
		tags: [''],
		hits: 1,
		reply: /^450 4\.7\.1 /,
		copies: 1,
	},
	'full mailbox': {
		fault: ['mailbox-full', '--times', '2'],
		mails: 1,
		tags: [''],
		hits: 2,
		reply: /^452 4\.2\.2 /,
		copies: 1,
	},
	'drop after the commit': {
		fault: ['drop-after-commit', '--times', '1'],
		mails: 1,
		tags: [''],
		hits: 1,
		reply: /^$/,
		copies: 2,
	},
};

const {SMTP_HOST = '', SMTP_PORT = ''} = process.env;
const from = 'shop@example.com';
const bin = path.join(import.meta.dirname, '../../../bin/tinbox.js');
const programs = path.join(import.meta.dirname, 'programs/retrying');
const run = promisify(execFile);
const {inboxes, messages} = createClient();

const names = process.argv.slice(2);
let isFine = true;
for (const [name, start] of Object.entries({
	nodemailer: () => loop('nodemailer', [process.execPath, path.join(programs, 'nodemailer.js')]),
	'Python smtplib': () => loop('Python smtplib', ['python3', path.join(programs, 'smtplib_loop.py')]),
	PHPMailer: () => loop('PHPMailer', ['php', path.join(programs, 'phpmailer.php')]),
	Postfix: postfix,
})) {
	if (names.length === 0 || names.includes(name)) {
		await testClient(name, start);
	}
}

process.exitCode = isFine ? 0 : 1;

/**
 * @param {string} name
 * @param {() => Promise<{send: Send, stop: () => Promise<void>}>} start throws if something is missing
 */
async function testClient(name, start) {
	const client = await start().catch(error => {
		console.log(`${name}: skipped: ${String(error).split('\n').slice(0, 2).join(' ')}`);
	});
	if (!client) {
		return;
	}

	try {
		for (const [title, scenario] of Object.entries(scenarios)) {
			const startedAt = performance.now();
			const problem = await play(client.send, scenario).catch(error => `${error.stderr || error}`);
			isFine &&= problem === '';
			const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
			console.log(`${name}, ${title}: ${problem === '' ? 'fine' : `FAILED: ${problem}`} in ${seconds} s`);
		}
	} finally {
		await client.stop();
	}
}

/**
 * Sends the mails of a scenario. Returns the differences from the expectation, or an empty text.
 * @param {Send} send
 * @param {Scenario} scenario
 */
async function play(send, {fault, mails, tags, hits, reply: expected, copies}) {
	const inbox = await inboxes.create({});
	const [local, domain] = inbox.email_address.split('@');
	await tinbox('faults', 'add', inbox.id, ...fault);
	const [, seen] = await Promise.all([
		send({to: tags.map(tag => `${local}${tag}@${domain}`), mails}),
		tinbox('faults', 'wait', inbox.id, fault[0] ?? '', '--count', String(hits), '--timeout', '60s', '--json'),
	]);
	const replies = seen.map(({reply}) => reply ?? '');
	const stored = await waitForMessages(inbox.id, mails * copies);
	const subjects = stored.map(({subject}) => subject);
	const wrong = Array.from({length: mails}, (_, index) => `Mail ${index + 1}`).filter(
		subject => subjects.filter(other => other === subject).length !== copies,
	);
	return [
		...(replies.length < hits || !replies.every((/** @type {string} */ reply) => expected.test(reply))
			? [`the replies of the hits are ${JSON.stringify(replies)}`]
			: []),
		...(wrong.length > 0 || stored.length !== mails * copies
			? [`the stored messages are ${JSON.stringify(subjects)}`]
			: []),
		...(new Set(stored.map(({message_id: id}) => id)).size === mails ? [] : ['the Message-IDs differ']),
	].join('; ');
}

/**
 * Waits until the inbox has `count` messages and returns all.
 * @param {string} inboxId
 * @param {number} count
 */
async function waitForMessages(inboxId, count) {
	const deadline = Date.now() + 60_000;
	let found = await messages.list(inboxId, {limit: 100});
	while (found.length < count && Date.now() < deadline) {
		const [newest] = found;
		await messages.list(inboxId, {wait: 5, ...(newest && {after: newest.id})});
		found = await messages.list(inboxId, {limit: 100});
	}

	return found;
}

/**
 * Runs a command and returns the hits that it prints, one per line.
 * @param {readonly string[]} args
 * @returns {Promise<ReadonlyArray<import('../../../src/contract/faults.js').FaultHitBody>>}
 */
async function tinbox(...args) {
	const {stdout} = await run(process.execPath, [bin, ...args]);
	return args.includes('--json')
		? stdout
				.trim()
				.split('\n')
				.map(line => JSON.parse(line))
		: [];
}

/**
 * A program that tries again by itself.
 * @param {string} name
 * @param {readonly string[]} command
 */
async function loop(name, [command = '', ...args]) {
	const prepared = clients[name]?.prepare() ?? [];
	const setting = prepared.find(word => word.startsWith('PHPMAILER='));
	return {
		/** @type {Send} */
		async send({to, mails}) {
			const env = {
				...process.env,
				...(setting && {PHPMAILER: setting.slice('PHPMAILER='.length)}),
				MAIL_FROM: from,
				MAIL_TO: to.join(','),
				MAILS: String(mails),
				RETRY_MS: '200',
			};
			await run(command, args, {env, timeout: 60_000});
		},
		stop: async () => {},
	};
}

/** Starts a mail server that queues mail and retries by itself. */
async function postfix() {
	const reason = whyNoPostfix();
	if (reason !== undefined) {
		throw new Error(reason);
	}

	const server = await startPostfix({host: SMTP_HOST, port: Number(SMTP_PORT)});
	const transport = nodemailer.createTransport({host: server.host, port: server.port, ignoreTLS: true});
	return {
		/** @type {Send} */
		async send({to, mails}) {
			for (let number = 1; number <= mails; number++) {
				await transport.sendMail({from, to: [...to], subject: `Mail ${number}`, text: 'Hello.'});
			}
		},
		stop: server.stop,
	};
}
