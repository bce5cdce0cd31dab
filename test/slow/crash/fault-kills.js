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
 * @property {number} greylisted of these, after the try for their recipient that was refused
 * @property {number} refused mails that a fault refused after their last dot
 * @property {number} dropped mails that a fault let be kept, and then ended the connection
 * @property {number} unexpected attempts that were answered in another way
 * @property {number} lost mails that were acknowledged or dropped, and are not there
 * @property {number} kept mails that were refused, and are there
 * @property {number} doubled attempts of which more than one mail is there
 * @property {number} forgotten faults that are not there after the next start, or in another form
 * @property {number} undone counts of faults that were shown and read once more, and are lower after the next start
 *
 * @typedef {object} Fates subjects of mails, each sent once
 * @property {Set<string>} there
 * @property {Set<string>} nowhere
 */

const clients = 4;

/** How long some answers may take. */
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
 * Kills the daemon at random moments while clients meet faults, and looks after each new start what became of their mails,
 * of the faults, and of the counts that were shown before.
 * @param {() => Promise<CrashedDaemon>} start starts the daemon anew over the same files
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

		/** @type {Fates} */
		const fates = {there: new Set(), nowhere: new Set()};
		/** @type {{before: readonly FaultBody[]}} */
		const shown = {before: await daemon.faults(inbox)};
		const work = [
			look(daemon, inbox, shown),
			...Array.from({length: clients}, (_, client) => sendUntilCut(daemon, inbox, {round, client}, fates, found)),
		];
		await someAnswers(found);
		await daemon.kill();
		await Promise.all(work);

		daemon = await start();
		const subjects = (await daemon.messages(inbox)).map(({subject}) => subject);
		found.kills++;
		found.lost += [...fates.there].filter(subject => !subjects.includes(subject)).length;
		found.kept += [...fates.nowhere].filter(subject => subjects.includes(subject)).length;
		found.doubled += subjects.length - new Set(subjects).size;
		compare(shown.before, await daemon.faults(inbox), found);
		progress(JSON.stringify(found));
	}

	await daemon.kill();
	return found;
}

/**
 * Resolves at a random moment after some more mails were answered.
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
 * Notes what the faults look like, until the daemon is gone. Counts are written after the reply: those that were shown are
 * on disk once somebody else has read them.
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
		// The kill.
	}
}

/**
 * Sends mails, each with a subject of its own, until the daemon is gone.
 * @param {CrashedDaemon} daemon
 * @param {Inbox} inbox
 * @param {{round: number, client: number}} who
 * @param {Fates} fates
 * @param {Found} found
 */
async function sendUntilCut({smtp}, inbox, {round, client}, {there, nowhere}, found) {
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
				const [, code] = /said: (\d{3})/.exec(String(error)) ?? [];
				session = await SmtpSession.open(smtp);
				return Number(code ?? 0);
			}
		};
		/** Whether that was answered, in the one way that is right. */
		const isTold = (/** @type {number} */ code, /** @type {number} */ right) => {
			found.unexpected += code === right ? 0 : 1;
			return code === right ? 1 : 0;
		};
		for (let count = 0; ; count++) {
			const subject = `${name}-${count}`;
			const kind = (client + count) % 4;
			if (kind === 0) {
				found.refused += isTold(await attempt(`refused ${subject}`), 452);
				nowhere.add(`refused ${subject}`);
			} else if (kind === 1) {
				// That there is somebody to greet again shows that it was not the kill.
				found.dropped += isTold(await attempt(`dropped ${subject}`), 0);
				there.add(`dropped ${subject}`);
			} else {
				const tag = kind === 2 ? `+grey-${name}-${count}` : '';
				found.greylisted += tag === '' ? 0 : isTold(await attempt(subject, tag), 451);
				found.acknowledged += isTold(await attempt(subject, tag), 250);
				there.add(subject);
			}
		}
	} catch {
		// The kill: whatever was not acknowledged by now may be there or not.
	}
}
