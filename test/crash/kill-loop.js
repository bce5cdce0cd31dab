import {randomInt} from 'node:crypto';
import {SmtpSession} from '../helpers/smtp-session.js';

/**
 * @typedef {{id: string, address: string, key: string}} Inbox with a key that opens it
 *
 * @typedef {object} CrashedDaemon a running daemon that can be killed
 * @property {{host: string, port: number}} smtp
 * @property {() => Promise<void>} kill by SIGKILL; resolves when the process is gone
 * @property {() => Promise<Inbox>} createInbox
 * @property {(inbox: Inbox) => Promise<readonly string[]>} subjects of all messages of an inbox
 * @property {(inbox: Inbox, url: string) => Promise<string>} createEndpoint its id
 * @property {(inbox: Inbox, endpointId: string) => Promise<ReadonlyArray<{status: string}>>} deliveries
 *
 * @typedef {object} Losses
 * @property {number} kills
 * @property {number} acknowledged mails answered with 250
 * @property {number} lost of these, not there after the next start
 * @property {number} duplicated mails that are there more than once
 */

const clients = 4;

/**
 * Kills the daemon at random moments while clients send to it, and counts after each new start what became of every mail
 * that was answered with 250.
 * @param {() => Promise<CrashedDaemon>} start starts the daemon anew over the same files
 * @param {number} rounds
 * @param {(text: string) => void} [progress]
 * @returns {Promise<Losses>}
 */
export async function killLoop(start, rounds, progress = () => {}) {
	/** @type {Losses} */
	const losses = {kills: 0, acknowledged: 0, lost: 0, duplicated: 0};
	let daemon = await start();
	for (let round = 1; round <= rounds; round++) {
		const inbox = await daemon.createInbox();
		/** @type {Set<string>} */
		const acknowledged = new Set();
		const senders = Array.from({length: clients}, (_, client) =>
			sendUntilCut(daemon.smtp, inbox.address, `${round}-${client}`, acknowledged),
		);
		await new Promise(resolve => setTimeout(resolve, randomInt(20, 200)));
		await daemon.kill();
		await Promise.all(senders);

		daemon = await start();
		const found = await daemon.subjects(inbox);
		losses.kills++;
		losses.acknowledged += acknowledged.size;
		losses.lost += [...acknowledged].filter(subject => !found.includes(subject)).length;
		losses.duplicated += found.length - new Set(found).size;
		progress(JSON.stringify(losses));
	}

	await daemon.kill();
	return losses;
}

/**
 * Sends mails, each with a subject of its own, until the connection breaks.
 * @param {{host: string, port: number}} smtp
 * @param {string} address
 * @param {string} name begins the subjects
 * @param {Set<string>} acknowledged
 */
async function sendUntilCut(smtp, address, name, acknowledged) {
	try {
		const session = await SmtpSession.open(smtp);
		for (let count = 0; ; count++) {
			const subject = `${name}-${count}`;
			// Every tenth mail is large enough to be kept in a file of its own.
			const body = count % 10 === 9 ? 'A long line of a large mail.\r\n'.repeat(12_000) : 'A short mail.\r\n';
			await session.send('sender@crash.test', address, `Subject: ${subject}\r\n\r\n${body}`);
			acknowledged.add(subject);
		}
	} catch {
		// The kill: whatever was not acknowledged by now may be there or not.
	}
}
