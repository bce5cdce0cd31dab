import {once} from 'node:events';
import {setTimeout as sleep} from 'node:timers/promises';
import {Client} from '../client.js';
import {RawSmtp} from '../raw-smtp.js';
import {sendAndFind} from '../send-mails.js';

/** How far a client gets before it goes away; `{to}` is the address of an inbox. None of them ends a mail. */
const states = [
	...['', 'E', 'EHLO x', 'EHLO x\r\n', 'HELO x\r\n', 'EHLO x\r\nEHLO x\r\n', 'NOOP\r\n', 'GARBAGE\r\n', 'RSET\r\n'],
	...[
		'EHLO x\r\nAUTH PLAIN\r\n',
		'EHLO x\r\nAUTH LOGIN\r\n',
		'EHLO x\r\nAUTH LOGIN\r\nam9l\r\n',
		'QUIT\r\n',
		'\0'.repeat(3000),
	],
	'EHLO x\r\nMAIL FROM:<a@sender.test>\r\n',
	'EHLO x\r\nMAIL FROM:<a@sender.test>\r\nRCPT TO:<nobody@elsewhere.test>\r\n',
	...['', 'RSET\r\n', 'DATA', 'DATA\r\n', 'DATA\r\nSubject: x', 'DATA\r\nSubject: x\r\n\r\nhello\r\n'].map(
		rest => `EHLO x\r\nMAIL FROM:<a@sender.test>\r\nRCPT TO:<{to}>\r\n${rest}`,
	),
	...['\r\n', '\r\n.', '\r\n.\r', '\r\n..', `\r\n${'a long line of a large mail\r\n'.repeat(20_000)}`].map(
		rest => `EHLO x\r\nMAIL FROM:<a@sender.test>\r\nRCPT TO:<{to}>\r\nDATA\r\nSubject: x${rest}`,
	),
];

/** @type {Record<string, (socket: import('node:net').Socket) => void>} */
const ways = {
	reset: socket => socket.resetAndDestroy(),
	end: socket => socket.end(),
	destroy: socket => socket.destroy(),
};

/**
 * Clients that go away in every state of a session: nothing may be stored, nothing stay open, nothing be logged as an
 * error, and the next mail be taken.
 * @param {import('../start.js').Proven} daemon
 * @param {{times?: number, progress?: (text: string) => void}} options
 */
export async function leave(daemon, {times = 1, progress = () => {}} = {}) {
	const client = await Client.of(daemon);
	const inbox = await client.createInbox();
	const counts = {states: states.length, left: 0, stored: 0, stillOpen: 0, errors: 0, refusedAfterwards: 0};
	for (let time = 0; time < times; time++) {
		for (const [way, go] of Object.entries(ways)) {
			await Promise.all(states.map(state => leaveIn(daemon.smtp, state.replace('{to}', inbox.address), go)));
			counts.left += states.length;
			progress(`${way}: ${JSON.stringify(counts)}`);
		}
	}

	// Its own connections are not to be counted; the next request opens new ones.
	client.close();
	const {connections, errors, stalls} = await untilQuiet(daemon);
	const {refused, lost} = await sendAndFind(daemon.smtp, client, [Buffer.from('Subject: next\r\n\r\nnext\r\n')]);
	counts.stored = (await client.messages(inbox)).length;
	client.close();
	return {...counts, stillOpen: connections, errors: errors.length, refusedAfterwards: refused + lost, stalls};
}

/**
 * @param {import('../start.js').Address} address
 * @param {string} said
 * @param {(socket: import('node:net').Socket) => void} go
 */
async function leaveIn(address, said, go) {
	const smtp = new RawSmtp(address);
	await smtp.replies(1);
	await smtp.send(said);
	// Some leave before the server has read what they said, some after.
	await sleep(said.length % 3);
	const closed = smtp.socket.closed || once(smtp.socket, 'close');
	go(smtp.socket);
	await closed;
}

/**
 * Waits until the daemon has noticed, which is a matter of milliseconds; the last report it gave.
 * @param {import('../start.js').Proven} daemon
 */
async function untilQuiet(daemon) {
	let report = await daemon.report();
	for (let tries = 0; report.connections > 0 && tries < 20; tries++) {
		await sleep(100);
		report = {...(await daemon.report()), errors: report.errors, stalls: report.stalls};
	}

	return report;
}
