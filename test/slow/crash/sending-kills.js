import {randomInt} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {untilMore} from './kill-loop.js';

/**
 * @typedef {import('./kill-loop.js').CrashedDaemon} CrashedDaemon
 *
 * @typedef {object} Request that is repeated until it is answered
 * @property {string} key that it is to be done once under
 * @property {readonly string[]} subjects of its mails
 * @property {boolean} isLarge
 * @property {unknown} answer the first one; undefined as long as there is none
 *
 * @typedef {object} Losses
 * @property {number} kills
 * @property {number} acknowledged requests answered with 2xx
 * @property {number} repeated of these, answered only after a kill
 * @property {number} lost mails of these that are not there
 * @property {number} doubled mails that are there more than once
 * @property {number} otherwise requests that got another answer when they were repeated
 * @property {number} refused requests that were answered with anything else
 */

const clients = 4;
const mailsInBatch = 5;

/**
 * Kills the daemon again and again while clients have it send mail, each request with a key of its own, and repeat what got no
 * answer once it is back. Then looks what became of every mail, and repeats some that were answered.
 * @param {() => Promise<CrashedDaemon>} start starts the daemon anew over the same files
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

		// The last ones were on their way to disk; and the first one long ago.
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
 * Has mail sent until the daemon is gone. Resolves to how many requests it refused.
 * @param {CrashedDaemon} daemon
 * @param {string} address
 * @param {string} name begins the subjects
 * @param {Request[]} requests all that were begun
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
		// The kill: what was not answered by now is repeated.
		return refused;
	}
}

/**
 * What the daemon answers; undefined when that is no 2xx. Several mails are a batch, which is all or nothing.
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
