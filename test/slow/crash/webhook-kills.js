import {randomInt} from 'node:crypto';
import {setTimeout} from 'node:timers/promises';
import {SmtpSession} from '../../helpers/smtp-session.js';
import {untilMore} from './kill-loop.js';
import {startReceiver} from './webhook-receiver.js';

/**
 * @typedef {import('./kill-loop.js').CrashedDaemon} CrashedDaemon
 *
 * @typedef {object} Rounds
 * @property {number} kills
 * @property {number} acknowledged mails answered with 250
 * @property {number} unfinished deliveries that are neither delivered nor dead at the end
 *
 * @typedef {Rounds & import('./webhook-receiver.js').AnnouncementProblems} Problems
 */

/** Short retry delays, and a delivery log without a limit. */
export const flags = ['--webhook-retry-delay', '50ms', '--webhook-keep', '1000000'];

const clients = 4;
const mailsPerClient = 10;

/** Timeout of the last deliveries. */
const patienceMs = 60_000;

/**
 * Kills the daemon at random moments while it receives mail and sends deliveries to a receiver that rejects every fourth
 * request. At the end, checks the received requests.
 * @param {() => Promise<CrashedDaemon>} start restarts the daemon with the same files and `flags`
 * @param {number} rounds
 * @param {(text: string) => void} [progress]
 * @returns {Promise<Problems>}
 */
export async function webhookKills(start, rounds, progress = () => {}) {
	const receiver = await startReceiver({refuseEvery: 4, answerMs: () => 5});
	/** @type {Set<string>} */
	const acknowledged = new Set();
	let daemon = await start();
	const inbox = await daemon.createInbox();
	const endpointId = await daemon.createEndpoint(inbox, receiver.url);
	for (let round = 1; round <= rounds; round++) {
		const senders = Array.from({length: clients}, (_, client) =>
			send(daemon.smtp, inbox.address, `${round}-${client}`, acknowledged),
		);
		await (round % 2 === 0 && untilMore(acknowledged));
		await setTimeout(randomInt(20, 200));
		await daemon.kill();
		await Promise.all(senders);
		daemon = await start();
		progress(JSON.stringify({kills: round, acknowledged: acknowledged.size, events: receiver.announced.size}));
	}

	const unfinished = await untilFinished(
		async () =>
			(await daemon.deliveries(inbox, endpointId)).filter(({status}) => status === 'pending' || status === 'failed'),
		patienceMs,
	);
	await daemon.kill();
	await receiver.close();
	return {kills: rounds, acknowledged: acknowledged.size, unfinished, ...receiver.problems(acknowledged)};
}

/**
 * Sends mails with unique subjects, or until the connection breaks.
 * @param {{host: string, port: number}} smtp
 * @param {string} address
 * @param {string} name prefix of the subjects
 * @param {Set<string>} acknowledged
 */
async function send(smtp, address, name, acknowledged) {
	try {
		const session = await SmtpSession.open(smtp);
		for (let count = 0; count < mailsPerClient; count++) {
			const subject = `${name}-${count}`;
			await session.send('sender@crash.test', address, `Subject: ${subject}\r\n\r\nA short mail.\r\n`);
			acknowledged.add(subject);
		}

		await session.quit();
	} catch {
		// The daemon was killed. Mails without a reply may be announced or not.
	}
}

/**
 * Waits, with a timeout, until no rows are found. Resolves to the number of remaining rows.
 * @param {() => Promise<readonly unknown[]>} find
 * @param {number} patienceMs
 */
export async function untilFinished(find, patienceMs) {
	const deadline = Date.now() + patienceMs;
	let left = await find();
	while (left.length > 0 && Date.now() < deadline) {
		await setTimeout(200);
		left = await find();
	}

	return left.length;
}
