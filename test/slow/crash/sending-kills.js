import {randomInt} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {untilMore} from './kill-loop.js';

/**
 * @typedef {import('./kill-loop.js').CrashedDaemon} CrashedDaemon
 *
 * @typedef {object} Request a request that is repeated until it gets a response
 * @property {string} key idempotency key
 * @property {readonly string[]} subjects of its mails
 * @property {boolean} isLarge
 * @property {unknown} answer first response; undefined without one
 *
 * @typedef {object} Losses
 * @property {number} kills
 * @property {number} acknowledged requests answered with 2xx
 * @property {number} repeated requests that got their response after a kill
 * @property {number} lost acknowledged mails that are not stored
 * @property {number} doubled mails stored more than once
 * @property {number} otherwise repeated requests that got a different response
 * @property {number} refused requests with another status
 */

const clients = 4;
const mailsInBatch = 5;

/**
 * Kills the daemon repeatedly while clients send requests with unique idempotency keys. After each restart, repeats requests
 * without a response and some others, and checks every mail.
 * @param {() => Promise<CrashedDaemon>} start restarts the daemon with the same files
 * @param {number} rounds
 * @param {(text: string) => void} [progress]
 * @returns {Promise<Losses>}
 */
export async function sendingKills(start, rounds, progress = () => {}) {
	/** @type {Losses} */
	const losses = {kills: 0, acknowledged: 0, repeated: 0, lost: 0, doubled: 0, otherwise: 0, refused: 0};
	let daemon = await start();
	for (let round = 1; round <= rounds; round++) {
		const inbox = await daemon.createInbox();
		/** @type {Request[]} */
		const requests = [];
		/** @type {Set<string>} */
		const acknowledged = new Set();
		const work = Array.from({length: clients}, (_, client) =>
			sendUntilCut(daemon, inbox.address, `${round}-${client}`, requests, acknowledged),
		);
		await (round % 2 === 0 && untilMore(acknowledged));
		await sleep(randomInt(20, 200));
		await daemon.kill();
		const counts = await Promise.all(work);
		losses.refused += counts.reduce((sum, count) => sum + count, 0);

		daemon = await start();
		const unanswered = requests.filter(({answer}) => answer === undefined);
		for (const request of unanswered) {
			request.answer = await send(daemon, inbox.address, request);
			losses.refused += request.answer === undefined ? 1 : 0;
		}

		// The newest requests, which may not have been on disk, and the oldest one.
		for (const request of [...requests.slice(-clients), ...requests.slice(0, 1)]) {
			const again = await send(daemon, inbox.address, request);
			losses.otherwise += JSON.stringify(again) === JSON.stringify(request.answer) ? 0 : 1;
		}

		const found = (await daemon.messages(inbox)).map(({subject}) => subject);
		const wanted = requests.flatMap(({subjects}) => subjects);
		losses.kills++;
		losses.acknowledged += requests.length;
		losses.repeated += unanswered.length;
		losses.lost += wanted.filter(subject => !found.includes(subject)).length;
		losses.doubled += found.length - new Set(found).size;
		progress(JSON.stringify(losses));
	}

	await daemon.kill();
	return losses;
}

/**
 * Sends requests until the daemon is killed. Resolves to the number of rejected requests.
 * @param {CrashedDaemon} daemon
 * @param {string} address
 * @param {string} name prefix of the subjects
 * @param {Request[]} requests all started requests are added
 * @param {Set<string>} acknowledged
 */
async function sendUntilCut(daemon, address, name, requests, acknowledged) {
	let refused = 0;
	try {
		for (let count = 0; ; count++) {
			const key = `${name}-${count}`;
			const subjects = count % 3 === 2 ? Array.from({length: mailsInBatch}, (_, mail) => `${key}-${mail}`) : [key];
			/** @type {Request} */
			const request = {key, subjects, isLarge: count % 10 === 9, answer: undefined};
			requests.push(request);
			request.answer = await send(daemon, address, request);
			refused += request.answer === undefined ? 1 : 0;
			acknowledged.add(key);
		}
	} catch {
		// The daemon was killed. Requests without a response are repeated.
		return refused;
	}
}

/**
 * Sends a request and returns the response; undefined if the status is not 2xx. Several mails are sent as an atomic batch.
 * @param {CrashedDaemon} daemon
 * @param {string} address
 * @param {Request} request
 */
async function send(daemon, address, {key, subjects, isLarge}) {
	const text = isLarge ? 'A long line of a large mail.\r\n'.repeat(12_000) : 'A short mail.\r\n';
	const [mail = {}, ...others] = subjects.map(subject => ({from: 'app@crash.test', to: address, subject, text}));
	const headers = {authorization: 'Bearer re_crash', 'idempotency-key': key};
	return others.length === 0
		? daemon.send('/v1/send', mail, headers)
		: daemon.send('/send/resend/emails/batch', [mail, ...others], headers);
}
