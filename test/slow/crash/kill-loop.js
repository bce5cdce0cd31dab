import {randomInt} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {SmtpSession} from '../../helpers/smtp-session.js';

/**
 * @typedef {{id: string, address: string, key: string}} Inbox an inbox with an API key of its user
 *
 * @typedef {{id: string, to: string, subject: string}} Message
 *
 * @typedef {object} CrashedDaemon a running daemon that can be killed
 * @property {{host: string, port: number}} smtp
 * @property {number} pid
 * @property {() => Promise<string | undefined>} kill sends SIGKILL and waits for the exit; resolves to the log if the process
 *   had exited by itself before
 * @property {(step: string) => Promise<void>} killAt makes it kill itself at a step; resolves when it exited
 * @property {(key?: string, fields?: import('../../../src/contract/inboxes.js').CreateInbox) => Promise<Inbox>} createInbox
 *   creates a new user unless a key is given
 * @property {(inbox: Inbox) => Promise<void>} deleteInbox
 * @property {(inbox: Inbox) => Promise<boolean>} isInstalled
 * @property {(inbox: Inbox) => Promise<number>} evicted number of evicted messages
 * @property {(inbox: Inbox, subject?: string) => Promise<readonly Message[]>} messages all messages, or those with the subject
 * @property {(inbox: Inbox, seconds: number) => Promise<readonly Message[]>} wait long poll for a message
 * @property {(inbox: Inbox, messageId: string) => Promise<void>} deleteMessage
 * @property {(inbox: Inbox, url: string) => Promise<string>} createEndpoint returns the id
 * @property {(path: string, body: object, headers: Record<string, string>) => Promise<unknown>} send sends a request to a
 *   sending API; resolves to the response body, or undefined if the status is not 2xx
 * @property {(inbox: Inbox, endpointId: string, status?: string) => Promise<ReadonlyArray<{status: string}>>} deliveries
 * @property {(inbox: Inbox, fault: import('../../../src/contract/faults.js').CreateFault) => Promise<FaultBody>} createFault
 * @property {(inbox: Inbox) => Promise<readonly FaultBody[]>} faults
 *
 * @typedef {import('../../../src/contract/faults.js').FaultBody} FaultBody
 *
 * @typedef {object} Losses
 * @property {number} kills
 * @property {number} missed kills that did not happen at the intended step
 * @property {number} acknowledged mails answered with 250
 * @property {number} lost acknowledged mails that are not stored after the restart
 * @property {number} duplicated mails stored more than once
 * @property {number} deleted acknowledged deletions of inboxes
 * @property {number} resurrected deleted inboxes that exist after the restart
 *
 * @typedef {(daemon: CrashedDaemon) => Promise<boolean>} Kill resolves to true if it happened at the intended step
 */

const clients = 4;

/** @type {Kill} */
export async function killAtRandom(daemon) {
	await sleep(randomInt(20, 200));
	await daemon.kill();
	return true;
}

/**
 * Kills the daemon repeatedly while clients send mail and inboxes are created and deleted. After each restart, checks every
 * mail that was answered with 250 and every inbox whose deletion was acknowledged.
 * @param {() => Promise<CrashedDaemon>} start restarts the daemon with the same files
 * @param {number} rounds
 * @param {{kill?: Kill, progress?: (text: string) => void}} options
 * @returns {Promise<Losses>}
 */
export async function killLoop(start, rounds, {kill = killAtRandom, progress = () => {}} = {}) {
	/** @type {Losses} */
	const losses = {kills: 0, missed: 0, acknowledged: 0, lost: 0, duplicated: 0, deleted: 0, resurrected: 0};
	let daemon = await start();
	/** @type {Inbox[]} */
	let existing = [];
	for (let round = 1; round <= rounds; round++) {
		const inbox = await daemon.createInbox();
		/** @type {Set<string>} */
		const acknowledged = new Set();
		/** @type {Inbox[]} */
		const deleted = [];
		const work = [
			createAndDelete(daemon, inbox.key, existing, deleted),
			...Array.from({length: clients}, (_, client) =>
				sendUntilCut(daemon.smtp, inbox.address, `${round}-${client}`, acknowledged),
			),
		];
		await (round % 2 === 0 && untilMore(acknowledged));
		losses.missed += (await kill(daemon)) ? 0 : 1;
		await Promise.all(work);

		daemon = await start();
		const found = (await daemon.messages(inbox)).map(({subject}) => subject);
		const resurrected = await onlyExisting(daemon, deleted);
		existing = [inbox, ...(await onlyExisting(daemon, existing))];
		losses.kills++;
		losses.acknowledged += acknowledged.size;
		losses.lost += [...acknowledged].filter(subject => !found.includes(subject)).length;
		losses.duplicated += found.length - new Set(found).size;
		losses.deleted += deleted.length;
		losses.resurrected += resurrected.length;
		progress(JSON.stringify(losses));
	}

	await daemon.kill();
	return losses;
}

/**
 * Waits, with a timeout, until another mail is acknowledged, since a random kill may be too early on a busy machine.
 * @param {ReadonlySet<string>} acknowledged
 * @param {number} [timeoutMs]
 */
export async function untilMore(acknowledged, timeoutMs = 5000) {
	const [before, deadline] = [acknowledged.size, Date.now() + timeoutMs];
	while (acknowledged.size === before && Date.now() < deadline) {
		await sleep(5);
	}
}

/**
 * Sends mails with unique subjects until the connection breaks.
 * @param {{host: string, port: number}} smtp
 * @param {string} address
 * @param {string} name prefix of the subjects
 * @param {Set<string>} acknowledged
 */
export async function sendUntilCut(smtp, address, name, acknowledged) {
	try {
		const session = await SmtpSession.open(smtp);
		for (let count = 0; ; count++) {
			const subject = `${name}-${count}`;
			await session.send('sender@crash.test', address, mailOf(subject, count));
			acknowledged.add(subject);
		}
	} catch {
		// The daemon was killed. Mails without a reply may be stored or not.
	}
}

/**
 * Deletes the inboxes of earlier rounds, and then creates, fills and deletes others until the daemon is killed, which leaves
 * space to reclaim.
 * @param {CrashedDaemon} daemon
 * @param {string} key
 * @param {Inbox[]} existing inboxes of earlier rounds; inboxes of this round are added
 * @param {Inbox[]} deleted inboxes whose deletion was acknowledged
 */
async function createAndDelete(daemon, key, existing, deleted) {
	try {
		for (const inbox of existing) {
			await daemon.deleteInbox(inbox);
			deleted.push(inbox);
		}

		const session = await SmtpSession.open(daemon.smtp);
		for (;;) {
			const inbox = await daemon.createInbox(key);
			existing.push(inbox);
			for (let count = 5; count < 10; count++) {
				await session.send('sender@crash.test', inbox.address, mailOf('soon gone', count));
			}

			await daemon.deleteInbox(inbox);
			deleted.push(inbox);
		}
	} catch {
		// The daemon was killed.
	}
}

/**
 * @param {CrashedDaemon} daemon
 * @param {readonly Inbox[]} inboxes
 */
async function onlyExisting(daemon, inboxes) {
	const exists = await Promise.all(inboxes.map(inbox => daemon.isInstalled(inbox)));
	return inboxes.filter((_, index) => exists[index]);
}

/**
 * Every tenth mail is large enough for a separate file.
 * @param {string} subject
 * @param {number} count
 */
function mailOf(subject, count) {
	const body = count % 10 === 9 ? 'A long line of a large mail.\r\n'.repeat(12_000) : 'A short mail.\r\n';
	return `Subject: ${subject}\r\n\r\n${body}`;
}
