import {randomInt} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {sendUntilCut} from './kill-loop.js';

/**
 * @typedef {import('./kill-loop.js').CrashedDaemon} CrashedDaemon
 *
 * @typedef {object} Found
 * @property {number} kills
 * @property {number} acknowledged mails answered with 250
 * @property {number} evicted messages that an inbox evicted
 * @property {number} tooMany messages above the limit of the inbox
 * @property {number} tooFew messages missing up to the limit after the next start
 * @property {number} lost acknowledged mails that are missing, although an earlier one is stored
 * @property {number} duplicated mails stored more than once
 * @property {number} miscounted inboxes whose stored and evicted messages do not add up to the received mails
 */

const clients = 4;
const keep = 50;

/** Timeout for the mails of a round. */
const patienceMs = 20_000;

/**
 * Kills the daemon at random moments while clients send more mails than an inbox keeps. After each restart, exactly the newest
 * messages must be stored.
 * @param {() => Promise<CrashedDaemon>} start restarts the daemon with the same files
 * @param {number} rounds
 * @param {(text: string) => void} [progress]
 * @returns {Promise<Found>}
 */
export async function evictingKills(start, rounds, progress = () => {}) {
	/** @type {Found} */
	const found = {
		kills: 0,
		acknowledged: 0,
		evicted: 0,
		tooMany: 0,
		tooFew: 0,
		lost: 0,
		duplicated: 0,
		miscounted: 0,
	};
	let daemon = await start();
	for (let round = 1; round <= rounds; round++) {
		const inbox = await daemon.createInbox(undefined, {keep});
		const sent = Array.from({length: clients}, () => /** @type {Set<string>} */ (new Set()));
		const work = sent.map((own, client) => sendUntilCut(daemon.smtp, inbox.address, `${round}-${client}`, own));
		const count = () => sent.reduce((sum, {size}) => sum + size, 0);
		const [enough, deadline] = [keep + randomInt(2 * keep), Date.now() + patienceMs];
		while (count() < enough && Date.now() < deadline) {
			await sleep(1);
		}

		await daemon.kill();
		await Promise.all(work);

		daemon = await start();
		const there = (await daemon.messages(inbox)).map(({subject}) => subject);
		const evicted = await daemon.evicted(inbox);
		found.kills++;
		found.acknowledged += count();
		found.evicted += evicted;
		found.tooMany += Math.max(0, there.length - keep);
		found.tooFew += Math.max(0, Math.min(keep, count()) - there.length);
		found.lost += sent.reduce((sum, own) => sum + holesIn([...own], there), 0);
		found.duplicated += there.length - new Set(there).size;
		// The last mail of each client may have been stored without a reply.
		const unanswered = there.length + evicted - count();
		found.miscounted += unanswered >= 0 && unanswered <= clients ? 0 : 1;
		progress(JSON.stringify(found));
	}

	await daemon.kill();
	return found;
}

/**
 * Number of missing subjects after the first stored one.
 * @param {readonly string[]} sent in order
 * @param {readonly string[]} there
 */
function holesIn(sent, there) {
	const first = sent.findIndex(subject => there.includes(subject));
	return first < 0 ? 0 : sent.slice(first).filter(subject => !there.includes(subject)).length;
}
