import {setTimeout as sleep} from 'node:timers/promises';
import {Client} from '../client.js';
import {RawSmtp} from '../raw-smtp.js';
import {sendAndFind} from '../send-mails.js';

/** The size limit of the daemon. */
const limit = 25 * 1024 * 1024;

/** What the daemon may hold more than before, while somebody sends without an end. */
const fairMegabytes = 60;

/** How long an answer may take. */
const patienceMs = 60_000;

const envelope = 'EHLO x\r\nMAIL FROM:<a@sender.test>\r\nRCPT TO:<{to}>\r\n';

/**
 * What is too long or too much: what is said, where `{to}` is an address, and what must be heard in the end.
 * @type {Record<string, {said: () => string, heard: RegExp}>}
 */
const excesses = {
	'a command of 512 bytes': {said: () => `NOOP ${'x'.repeat(505)}\r\nNOOP\r\n`, heard: /250 .*\r\n250 .*\r\n$/},
	'a command of 10 KB': {said: () => `NOOP ${'x'.repeat(10_000)}\r\nQUIT\r\n`, heard: /^(221|421) /m},
	'a command of 1 MB': {said: () => `NOOP ${'x'.repeat(1_000_000)}\r\nQUIT\r\n`, heard: /^(221|421) /m},
	'EHLO of 10 KB': {said: () => `EHLO ${'x'.repeat(10_000)}\r\nQUIT\r\n`, heard: /^(221|421) /m},
	'a sender of 10 KB': {
		said: () => `EHLO x\r\nMAIL FROM:<${'a'.repeat(10_000)}@sender.test>\r\nQUIT\r\n`,
		heard: /^(221|421) /m,
	},
	'a recipient of 10 KB': {
		said: () => `${envelope}RCPT TO:<${'a'.repeat(10_000)}@tinbox.test>\r\nQUIT\r\n`,
		heard: /^(221|421) /m,
	},
	'a hundred thousand parameters': {
		said: () => `EHLO x\r\nMAIL FROM:<a@sender.test> ${'A=1 '.repeat(100_000)}\r\nQUIT\r\n`,
		heard: /^(221|421) /m,
	},
	'credentials of 1 MB': {
		said: () => `EHLO x\r\nAUTH PLAIN ${'a'.repeat(1_000_000)}\r\nQUIT\r\n`,
		heard: /^(221|421) /m,
	},
	'a name to log in of 1 MB': {
		said: () => `EHLO x\r\nAUTH LOGIN\r\n${'a'.repeat(1_000_000)}\r\nQUIT\r\n`,
		heard: /^(221|421) /m,
	},
	'10,000 commands at once': {said: () => `${'NOOP\r\n'.repeat(10_000)}QUIT\r\n`, heard: /(250 .*\r\n){10000}221 /},
	'10,000 commands that are none': {said: () => `${'NOPE\r\n'.repeat(10_000)}QUIT\r\n`, heard: /^(221|421) /m},
	'1,000 recipients': {
		said: () =>
			`${envelope}${numbers(1000)
				.map(tag => `RCPT TO:<{to+${tag}}>\r\n`)
				.join('')}QUIT\r\n`,
		heard: /^452 4\.5\.3 [\s\S]*^221 /m,
	},
	'a mail said to be of 100 GB': {
		said: () => 'EHLO x\r\nMAIL FROM:<a@sender.test> SIZE=100000000000\r\nQUIT\r\n',
		heard: /^552 5\.3\.4 .*\r\n221 /m,
	},
	'a mail of one byte too many': {
		said: () => `${envelope}DATA\r\n${bodyOf(limit + 1)}.\r\nQUIT\r\n`,
		heard: /^552 5\.3\.4 .*\r\n221 /m,
	},
};

/** Mails that are allowed, and must be kept as they are. */
const mails = [
	`Subject: a long line\r\n\r\n${'x'.repeat(10_000_000)}\r\n`,
	`Subject: ${'x'.repeat(5_000_000)}\r\n\r\nx\r\n`,
	`Subject: many lines\r\n\r\n${'x\r\n'.repeat(1_000_000)}`,
	bodyOf(limit),
];

/**
 * Commands and mails that are too long, or only just not, and clients that never come to an end.
 * @param {import('../start.js').Proven} daemon
 * @param {{every?: number, endless?: number, megabytes?: number, progress?: (text: string) => void}} options
 */
export async function exceed(daemon, {every = 1, endless = 1, megabytes = 50, progress = () => {}} = {}) {
	const client = await Client.of(daemon);
	const inbox = await client.createInbox();
	const isChosen = (/** @type {unknown} */ _, /** @type {number} */ index) => index % every === 0;
	const counts = {excesses: 0, misanswered: 0};
	const {bufferMegabytes: before} = await daemon.report();
	for (const [name, {said, heard}] of Object.entries(excesses).filter(isChosen)) {
		const text = said().replaceAll(/\{to(\+\d+)?\}/g, (_, tag = '') => inbox.address.replace('@', `${tag}@`));
		const answer = await answerTo(daemon.smtp, text, heard);
		counts.excesses++;
		counts.misanswered += heard.test(answer) ? 0 : 1;
		progress(`${name}: ${answer.slice(-120)}`);
	}

	const sent = mails.filter(isChosen).map(mail => Buffer.from(mail, 'latin1'));
	const {refused, lost, changed} = await sendAndFind(daemon.smtp, client, sent);
	const pouring = ['', `${envelope}DATA\r\n`].flatMap(beginning =>
		Array.from({length: endless}, () => pour(daemon.smtp, beginning.replace('{to}', inbox.address), megabytes)),
	);
	await sleep(300);
	const {bufferMegabytes: during} = await daemon.report();
	await Promise.all(pouring);
	const heldMegabytes = Math.round(during - before);
	const tooManyMegabytes = Math.max(0, heldMegabytes - fairMegabytes);
	const after = await sendAndFind(daemon.smtp, client, [Buffer.from('Subject: next\r\n\r\nnext\r\n')]);
	const stored = (await client.messages(inbox)).length;
	client.close();
	const {errors, stalls, longestMs} = await daemon.report();
	return {
		...{
			...counts,
			mails: sent.length,
			refused,
			lost,
			changed,
			endless: pouring.length,
			heldMegabytes,
			tooManyMegabytes,
			stored,
		},
		...{refusedAfterwards: after.refused + after.lost, errors: errors.length, stalls, longestMs: Math.round(longestMs)},
	};
}

/**
 * @param {import('../start.js').Address} address
 * @param {string} said
 * @param {RegExp} expected
 */
async function answerTo(address, said, expected) {
	const smtp = new RawSmtp(address);
	await smtp.replies(1);
	await smtp.send(said);
	for (let waited = 0; waited < patienceMs && !expected.test(smtp.heard) && !smtp.socket.closed; waited += 10) {
		await sleep(10);
	}

	smtp.socket.destroy();
	return smtp.heard;
}

/**
 * Sends what never ends, until the server ends the connection or so much was sent.
 * @param {import('../start.js').Address} address
 * @param {string} beginning
 * @param {number} megabytes
 */
async function pour(address, beginning, megabytes) {
	const {socket} = new RawSmtp(address);
	const piece = 'x'.repeat(1_000_000);
	socket.write(beginning);
	const closed = new Promise(resolve => socket.once('close', resolve));
	for (let sent = 0; sent < megabytes && socket.writable; sent++) {
		if (!socket.write(piece)) {
			await Promise.race([closed, new Promise(resolve => socket.once('drain', resolve))]);
		}
	}

	socket.destroy();
	await closed;
}

/** @param {number} count */
function numbers(count) {
	return Array.from({length: count}, (_, index) => index);
}

/**
 * A mail of so many bytes.
 * @param {number} bytes
 */
function bodyOf(bytes) {
	const line = 'A line of a large mail, with as many bytes as a line has.\r\n';
	const head = 'Subject: large\r\n\r\n';
	const lines = line.repeat(Math.floor((bytes - head.length - 100) / line.length));
	return `${head + lines + 'x'.repeat(bytes - head.length - lines.length - 2)}\r\n`;
}
