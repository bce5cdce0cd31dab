import {setTimeout as sleep} from 'node:timers/promises';
import {SmtpSession} from '../../test/helpers/smtp-session.js';

/** @typedef {import('../../test/helpers/smtp-session.js').Address} Address */

/**
 * Sends mails over persistent sessions and measures from the first byte to the last reply.
 * @param {Address} address
 * @param {{recipients: readonly string[], mail: string, mails: number, sessions: number}} load the recipients are used in turn
 * @returns {Promise<number>} mails per second
 */
export async function sendReused(address, {sessions, ...load}) {
	return (await sendSideBySide(address, {...load, clients: sessions, isReused: true})).rate;
}

/**
 * Sends mails from several concurrent clients, each over one open session or with a new session per mail.
 * @param {Address} address
 * @param {{recipients: readonly string[], mail: string, mails: number, clients: number, isReused: boolean}} load
 * @returns {Promise<{rate: number, times: number[]}>} mails per second, and the milliseconds of each mail or session
 */
export async function sendSideBySide(address, {recipients, mail, mails, clients, isReused}) {
	const open = await Promise.all(Array.from({length: isReused ? clients : 0}, () => SmtpSession.open(address)));
	/** @type {number[]} */
	const times = [];
	let next = 0;
	const startedAt = performance.now();
	await Promise.all(
		Array.from({length: clients}, async (_, client) => {
			for (let index = next++; index < mails; index = next++) {
				const sentAt = performance.now();
				const session = open[client] ?? (await SmtpSession.open(address));
				await session.send('bench@sender.test', recipients[index % recipients.length] ?? '', mail);
				if (!isReused) {
					await session.quit();
				}

				times.push(performance.now() - sentAt);
			}
		}),
	);
	const rate = (mails / (performance.now() - startedAt)) * 1000;
	await Promise.all(open.map(session => session.quit()));
	return {rate, times};
}

/**
 * Sends mails one by one, each in a new session.
 * @param {Address} address
 * @param {{recipients: readonly string[], mail: string, mails: number}} load
 * @returns {Promise<number[]>} milliseconds of each session from connect to QUIT
 */
export async function sendOneShot(address, {recipients, mail, mails}) {
	const times = [];
	for (let sent = 0; sent < mails; sent++) {
		const startedAt = performance.now();
		const session = await SmtpSession.open(address);
		await session.send('bench@sender.test', recipients[sent % recipients.length] ?? '', mail);
		await session.quit();
		times.push(performance.now() - startedAt);
	}

	return times;
}

/**
 * Sends mails `Mail <index> of <mails>` over a few sessions, with `perSecond` as the maximum rate.
 * @param {Address} address
 * @param {{mails: number, perSecond: number, recipientOf: (index: number) => string}} load
 */
export async function sendSteadily(address, {mails, perSecond, recipientOf}) {
	const sessions = await Promise.all(Array.from({length: 4}, () => SmtpSession.open(address)));
	const startedAt = performance.now();
	let next = 0;
	await Promise.all(
		sessions.map(async session => {
			for (let index = next++; index < mails; index = next++) {
				await sleep(Math.max(0, startedAt + (index * 1000) / perSecond - performance.now()));
				await session.send('bench@sender.test', recipientOf(index), mailOf(2048, `Mail ${index} of ${mails}`));
			}
		}),
	);
	await Promise.all(sessions.map(session => session.quit()));
}

/**
 * A mail with a subject and a body of the given size in bytes.
 * @param {number} bytes
 * @param {string} [subject]
 */
export function mailOf(bytes, subject = 'A mail of the bench') {
	const head = `From: Bench <bench@sender.test>\r\nTo: someone@tinbox.test\r\nSubject: ${subject}\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nMessage-ID: <bench@sender.test>\r\n\r\n`;
	const line = `${'The quick brown fox jumps over the lazy dog. '.repeat(2).slice(0, 76)}\r\n`;
	return head + line.repeat(Math.max(1, Math.round((bytes - head.length) / line.length)));
}
