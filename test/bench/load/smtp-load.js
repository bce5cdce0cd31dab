import {SmtpSession} from '../../helpers/smtp-session.js';

/** @typedef {import('../../helpers/smtp-session.js').Address} Address */

/**
 * Sends mails over sessions that stay open, and measures from the first byte to the last reply.
 * @param {Address} address
 * @param {{recipients: readonly string[], mail: string, mails: number, sessions: number}} load the recipients take turns
 * @returns {Promise<number>} mails per second
 */
export async function sendReused(address, {recipients, mail, mails, sessions}) {
	const open = await Promise.all(Array.from({length: sessions}, () => SmtpSession.open(address)));
	let next = 0;
	const startedAt = performance.now();
	await Promise.all(
		open.map(async session => {
			for (let index = next++; index < mails; index = next++) {
				await session.send('bench@sender.test', recipients[index % recipients.length] ?? '', mail);
			}
		}),
	);
	const seconds = (performance.now() - startedAt) / 1000;
	await Promise.all(open.map(session => session.quit()));
	return mails / seconds;
}

/**
 * One session a mail, one after the other.
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
 * A mail with a subject of its own and a body of the given size in bytes.
 * @param {number} bytes
 * @param {string} [subject]
 */
export function mailOf(bytes, subject = 'A mail of the bench') {
	const head = `From: Bench <bench@sender.test>\r\nTo: someone@tinbox.test\r\nSubject: ${subject}\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nMessage-ID: <bench@sender.test>\r\n\r\n`;
	const line = `${'The quick brown fox jumps over the lazy dog. '.repeat(2).slice(0, 76)}\r\n`;
	return head + line.repeat(Math.max(1, Math.round((bytes - head.length) / line.length)));
}
