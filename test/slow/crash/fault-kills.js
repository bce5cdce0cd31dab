import {randomInt} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {SmtpSession} from '../../helpers/smtp-session.js';

/**
 * @typedef {import('./kill-loop.js').CrashedDaemon} CrashedDaemon
 * @typedef {import('./kill-loop.js').FaultBody} FaultBody
 * @typedef {import('./kill-loop.js').Inbox} Inbox
 *
 * @typedef {object} Found
 * @property {number} kills
 * @property {number} acknowledged mails answered with 250
 * @property {number} greylisted acknowledged mails whose recipient was rejected once before
 * @property {number} refused mails that a fault rejected after their data
 * @property {number} dropped mails that were stored before a fault dropped the connection
 * @property {number} unexpected attempts with another result
 * @property {number} lost acknowledged or dropped mails that are not stored
 * @property {number} kept rejected mails that are stored
 * @property {number} doubled attempts that were stored more than once
 * @property {number} forgotten faults that are missing or changed after the restart
 * @property {number} undone counts of faults that are lower after the restart than shown before
 *
 * @typedef {object} Expected subjects of mails, each sent once
 * @property {Set<string>} stored
 * @property {Set<string>} rejected
 */

const clients = 4;

/** Timeout for the replies of a round. */
const patienceMs = 20_000;

/** @type {ReadonlyArray<import('../../../src/contract/faults.js').CreateFault>} */
const faults = [
	{
		stage: 'rcpt',
		name: 'greylist',
		match: {to: '+grey'},
		reply: '451 4.7.1 Try again later',
		per: 'recipient',
		times: 1,
	},
	{stage: 'end', name: 'refuse', match: {subject: 'refused'}, reply: '452 4.2.2 Mailbox full'},
	{stage: 'end', name: 'drop', match: {subject: 'dropped'}, drop: 'after_commit'},
];

/**
 * Kills the daemon at random moments while clients send under faults. After each restart, checks the mails, the faults, and
 * the counts that were shown before.
 * @param {() => Promise<CrashedDaemon>} start restarts the daemon with the same files
 * @param {number} rounds
 * @param {(text: string) => void} [progress]
 * @returns {Promise<Found>}
 */
export async function faultKills(start, rounds, progress = () => {}) {
	/** @type {Found} */
	const found = {
		kills: 0,
		acknowledged: 0,
		greylisted: 0,
		refused: 0,
		dropped: 0,
		unexpected: 0,
		lost: 0,
		kept: 0,
		doubled: 0,
		forgotten: 0,
		undone: 0,
	};
	let daemon = await start();
	for (let round = 1; round <= rounds; round++) {
		const inbox = await daemon.createInbox();
		for (const fault of faults) {
			await daemon.createFault(inbox, fault);
		}

		/** @type {Expected} */
		const expected = {stored: new Set(), rejected: new Set()};
		/** @type {{before: readonly FaultBody[]}} */
		const shown = {before: await daemon.faults(inbox)};
		const work = [
			look(daemon, inbox, shown),
			...Array.from({length: clients}, (_, client) => sendUntilCut(daemon, inbox, {round, client}, expected, found)),
		];
		await someAnswers(found);
		await daemon.kill();
		await Promise.all(work);

		daemon = await start();
		const subjects = (await daemon.messages(inbox)).map(({subject}) => subject);
		found.kills++;
		found.lost += [...expected.stored].filter(subject => !subjects.includes(subject)).length;
		found.kept += [...expected.rejected].filter(subject => subjects.includes(subject)).length;
		found.doubled += subjects.length - new Set(subjects).size;
		compare(shown.before, await daemon.faults(inbox), found);
		progress(JSON.stringify(found));
	}

	await daemon.kill();
	return found;
}

/**
 * Resolves at a random moment after more mails got replies.
 * @param {Found} found
 */
async function someAnswers(found) {
	const answered = () => found.acknowledged + found.refused + found.dropped;
	const [enough, deadline] = [answered() + randomInt(4, 24), Date.now() + patienceMs];
	while (answered() < enough && Date.now() < deadline) {
		await sleep(1);
	}

	await sleep(randomInt(20));
}

/**
 * @param {readonly FaultBody[]} before
 * @param {readonly FaultBody[]} after
 * @param {Found} found
 */
function compare(before, after, found) {
	for (const fault of before) {
		const {seen = 0, hit_count: hits = 0, ...form} = after.find(({id}) => id === fault.id) ?? {};
		const {seen: seenBefore, hit_count: hitsBefore, ...formBefore} = fault;
		found.forgotten += JSON.stringify(form) === JSON.stringify(formBefore) ? 0 : 1;
		found.undone += seen < seenBefore || hits < hitsBefore ? 1 : 0;
	}
}

/**
 * Records the faults until the daemon is killed. Counts are written after the reply, so only the counts of the
 * second-to-last read must be on disk.
 * @param {CrashedDaemon} daemon
 * @param {Inbox} inbox
 * @param {{before: readonly FaultBody[]}} shown
 */
async function look(daemon, inbox, shown) {
	try {
		let newest = shown.before;
		for (;;) {
			const faults = await daemon.faults(inbox);
			shown.before = newest;
			newest = faults;
		}
	} catch {
		// The daemon was killed.
	}
}

/**
 * Sends mails with unique subjects until the daemon is killed.
 * @param {CrashedDaemon} daemon
 * @param {Inbox} inbox
 * @param {{round: number, client: number}} who
 * @param {Expected} expected
 * @param {Found} found
 */
async function sendUntilCut({smtp}, inbox, {round, client}, {stored, rejected}, found) {
	const name = `${round}-${client}`;
	const [local, domain] = inbox.address.split('@');
	try {
		let session = await SmtpSession.open(smtp);
		const attempt = async (/** @type {string} */ subject, tag = '') => {
			try {
				await session.send(
					'sender@crash.test',
					`${local}${tag}@${domain}`,
					`Subject: ${subject}\r\n\r\nA short mail.\r\n`,
				);
				return 250;
			} catch (error) {
				const [, code] = /replied: (\d{3})/.exec(String(error)) ?? [];
				session = await SmtpSession.open(smtp);
				return Number(code ?? 0);
			}
		};
		/** Compares the reply code, counts a difference and returns 1 for the expected code. */
		const countIf = (/** @type {number} */ code, /** @type {number} */ expectedCode) => {
			found.unexpected += code === expectedCode ? 0 : 1;
			return code === expectedCode ? 1 : 0;
		};
		for (let count = 0; ; count++) {
			const subject = `${name}-${count}`;
			const kind = (client + count) % 4;
			if (kind === 0) {
				found.refused += countIf(await attempt(`refused ${subject}`), 452);
				rejected.add(`refused ${subject}`);
			} else if (kind === 1) {
				// The attempt reconnects, which proves that the daemon was not killed.
				found.dropped += countIf(await attempt(`dropped ${subject}`), 0);
				stored.add(`dropped ${subject}`);
			} else {
				const tag = kind === 2 ? `+grey-${name}-${count}` : '';
				found.greylisted += tag === '' ? 0 : countIf(await attempt(subject, tag), 451);
				found.acknowledged += countIf(await attempt(subject, tag), 250);
				stored.add(subject);
			}
		}
	} catch {
		// The daemon was killed. Mails without a reply may be stored or not.
	}
}
