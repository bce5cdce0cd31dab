import {once} from 'node:events';
import {setTimeout as sleep} from 'node:timers/promises';
import {assertOpenFiles, openMany} from '../../../../bench/load/many-connections.js';
import {Client} from '../client.js';
import {sendAndFind} from '../send-mails.js';

const mails = 20;

/** Sessions that send or disconnect at the same time: 10,000 at once would block the event loop for more than 50 ms. */
const atOnce = 500;

/** Timeout for the reply after the idle time. */
const patienceMs = 20_000;

/**
 * Opens SMTP sessions that are idle after EHLO while mail is accepted. Each session must reply to a later command.
 * @param {import('../start.js').TestDaemon} daemon
 * @param {{connections?: number, progress?: (text: string) => void}} options
 */
export async function runIdleSessions(daemon, {connections = 200, progress = () => {}} = {}) {
	assertOpenFiles(connections);
	const client = await Client.of(daemon);
	await daemon.report();
	const many = await openMany(daemon.smtp, connections, socket => ask(socket, 'EHLO idle.test', /^250 .*\r\n/m));
	progress(`${many.open()} open`);
	const {refused, lost} = await sendAndFind(daemon.smtp, client, Array(mails).fill(mail));
	await sleep(500);
	const dropped = connections - many.open();
	let unanswered = 0;
	for (let first = 0; first < connections; first += atOnce) {
		const some = many.sockets.slice(first, first + atOnce);
		const answers = await Promise.all(some.map(socket => ask(socket, 'NOOP', /^250 .*\r\n/m)));
		unanswered += answers.filter(isAnswered => !isAnswered).length;
		for (const socket of some) {
			socket.destroy();
		}
	}

	client.close();
	const {errors, stalls, longestMs, connections: stillOpen} = await untilClosed(daemon);
	return {
		...{connections, mails, refused, lost, dropped, unanswered},
		stillOpen,
		errors: errors.length,
		stalls,
		longestMs: Math.round(longestMs),
	};
}

const mail = Buffer.from('Subject: among the idle\r\n\r\nHello.\r\n');

/**
 * Sends a line and returns true if the expected reply arrives in time.
 * @param {import('node:net').Socket} socket
 * @param {string} line
 * @param {RegExp} answer
 */
async function ask(socket, line, answer) {
	const signal = AbortSignal.timeout(patienceMs);
	try {
		socket.write(`${line}\r\n`);
		for (let received = ''; !answer.test(received); ) {
			if (socket.destroyed) {
				return false;
			}

			const [chunk] = await Promise.race([once(socket, 'data', {signal}), once(socket, 'close', {signal})]);
			if (typeof chunk === 'boolean') {
				return false;
			}

			received += chunk;
		}

		return true;
	} catch {
		return false;
	}
}

/** @param {import('../start.js').TestDaemon} daemon */
async function untilClosed(daemon) {
	const first = await daemon.report();
	let report = first;
	for (let tries = 0; report.connections > 0 && tries < 50; tries++) {
		await sleep(100);
		report = await daemon.report();
	}

	return {...first, connections: report.connections};
}
