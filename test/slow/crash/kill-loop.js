import {randomInt} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {SmtpSession} from '../../helpers/smtp-session.js';

/**
 * @typedef {{id: string, address: string, key: string}} Inbox with a key that opens it
 *
 * @typedef {{id: string, to: string, subject: string}} Message
 *
 * @typedef {object} CrashedDaemon a running daemon that can be killed
 * @property {{host: string, port: number}} smtp
 * @property {number} pid
 * @property {() => Promise<string | undefined>} kill by SIGKILL; resolves when the process is gone, to its log where it had
 *   ended by itself before
 * @property {(step: string) => Promise<void>} killAt has it kill itself at a step; resolves when it is gone
 * @property {(key?: string, fields?: import('../../../src/contract/inboxes.js').CreateInbox) => Promise<Inbox>} createInbox of
 *   somebody new, unless there is a key
 * @property {(inbox: Inbox) => Promise<void>} deleteInbox
 * @property {(inbox: Inbox) => Promise<boolean>} isInstalled
 * @property {(inbox: Inbox) => Promise<number>} evicted how many messages the inbox evicted
 * @property {(inbox: Inbox, subject?: string) => Promise<readonly Message[]>} messages all of an inbox, or those with the subject
 * @property {(inbox: Inbox, seconds: number) => Promise<readonly Message[]>} wait until there is a message
 * @property {(inbox: Inbox, messageId: string) => Promise<void>} deleteMessage
 * @property {(inbox: Inbox, url: string) => Promise<string>} createEndpoint its id
 * @property {(path: string, body: object, headers: Record<string, string>) => Promise<unknown>} send asks a sending API;
 *   what it answers, undefined when that is no 2xx
 * @property {(inbox: Inbox, endpointId: string, status?: string) => Promise<ReadonlyArray<{status: string}>>} deliveries
 * @property {(inbox: Inbox, fault: import('../../../src/contract/faults.js').CreateFault) => Promise<FaultBody>} createFault
 * @property {(inbox: Inbox) => Promise<readonly FaultBody[]>} faults
 *
 * @typedef {import('../../../src/contract/faults.js').FaultBody} FaultBody
 *
 * @typedef {object} Losses
 * @property {number} kills
 * @property {number} missed of these, not where they should have been
 * @property {number} acknowledged mails answered with 250
 * @property {number} lost of these, not there after the next start
 * @property {number} duplicated mails that are there more than once
 * @property {number} deleted inboxes, acknowledged
 * @property {number} resurrected of these, there again after the next start
 *
 * @typedef {(daemon: CrashedDaemon) => Promise<boolean>} Kill whether it came where it should
 */

const clients = 4;

/** @type {Kill} */
export async function killAtRandom(daemon) {
	await sleep(randomInt(20, 200));
	await daemon.kill();
	return true;
}

/**
 * Kills the daemon again and again while clients send to it and inboxes come and go, and counts after each new start
 * what became of every mail that was answered with 250, and of every inbox whose deletion was acknowledged.
 * @param {() => Promise<CrashedDaemon>} start starts the daemon anew over the same files
 * @param {number} rounds
 * @param {{kill?: Kill, progress?: (text: string) => void}} options
 * @returns {Promise<Losses>}
 */
export async function killLoop(start, rounds, {kill = killAtRandom, progress = () => {}} = {}) {
	/** @type {Losses} */
	const losses = {kills: 0, missed: 0, acknowledged: 0, lost: 0, duplicated: 0, deleted: 0, resurrected: 0};
	let daemon = await start();
	/** @type {Inbox[]} */
	let left = [];
	for (let round = 1; round <= rounds; round++) {
		const inbox = await daemon.createInbox();
		/** @type {Set<string>} */
		const acknowledged = new Set();
		/** @type {Inbox[]} */
		const deleted = [];
		const work = [
			comeAndGo(daemon, inbox.key, left, deleted),
			...Array.from({length: clients}, (_, client) =>
				sendUntilCut(daemon.smtp, inbox.address, `${round}-${client}`, acknowledged),
			),
		];
		await (round % 2 === 0 && untilMore(acknowledged));
		losses.missed += (await kill(daemon)) ? 0 : 1;
		await Promise.all(work);

		daemon = await start();
		const found = (await daemon.messages(inbox)).map(({subject}) => subject);
		const there = await onlyThere(daemon, deleted);
		left = [inbox, ...(await onlyThere(daemon, left))];
		losses.kills++;
		losses.acknowledged += acknowledged.size;
		losses.lost += [...acknowledged].filter(subject => !found.includes(subject)).length;
		losses.duplicated += found.length - new Set(found).size;
		losses.deleted += deleted.length;
		losses.resurrected += there.length;
		progress(JSON.stringify(losses));
	}

	await daemon.kill();
	return losses;
}

/**
 * Waits until another mail is acknowledged, which a busy machine may not come to before a kill at random, but not for ever.
 * @param {ReadonlySet<string>} acknowledged
 * @param {number} [mostMs]
 */
export async function untilMore(acknowledged, mostMs = 5000) {
	const [before, deadline] = [acknowledged.size, Date.now() + mostMs];
	while (acknowledged.size === before && Date.now() < deadline) {
		await sleep(5);
	}
}

/**
 * Sends mails, each with a subject of its own, until the connection breaks.
 * @param {{host: string, port: number}} smtp
 * @param {string} address
 * @param {string} name begins the subjects
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
		// The kill: whatever was not acknowledged by now may be there or not.
	}
}

/**
 * Deletes the inboxes of earlier rounds, and then fills and deletes others, until the daemon is gone: this is what there
 * is to reclaim.
 * @param {CrashedDaemon} daemon
 * @param {string} key
 * @param {Inbox[]} left by earlier rounds, and by this one when it ends
 * @param {Inbox[]} deleted those whose deletion was acknowledged
 */
async function comeAndGo(daemon, key, left, deleted) {
	try {
		for (const inbox of left) {
			await daemon.deleteInbox(inbox);
			deleted.push(inbox);
		}

		const session = await SmtpSession.open(daemon.smtp);
		for (;;) {
			const inbox = await daemon.createInbox(key);
			left.push(inbox);
			for (let count = 5; count < 10; count++) {
				await session.send('sender@crash.test', inbox.address, mailOf('soon gone', count));
			}

			await daemon.deleteInbox(inbox);
			deleted.push(inbox);
		}
	} catch {
		// The kill.
	}
}

/**
 * @param {CrashedDaemon} daemon
 * @param {readonly Inbox[]} inboxes
 */
async function onlyThere(daemon, inboxes) {
	const there = await Promise.all(inboxes.map(inbox => daemon.isInstalled(inbox)));
	return inboxes.filter((_, index) => there[index]);
}

/**
 * Every tenth mail is large enough to be kept in a file of its own.
 * @param {string} subject
 * @param {number} count
 */
function mailOf(subject, count) {
	const body = count % 10 === 9 ? 'A long line of a large mail.\r\n'.repeat(12_000) : 'A short mail.\r\n';
	return `Subject: ${subject}\r\n\r\n${body}`;
}
