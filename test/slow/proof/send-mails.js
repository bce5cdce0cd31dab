import {SmtpSession} from '../../helpers/smtp-session.js';

/**
 * @typedef {import('./client.js').Client} Client
 * @typedef {object} Fate what became of mails
 * @property {number} mails
 * @property {number} refused not answered with 250
 * @property {number} lost answered with 250, but not there
 * @property {number} changed there, but not byte for byte
 * @property {number} unreadable there, but the API does not show it
 * @property {number} unexpected there, but nobody sent it
 */

/** @returns {Fate} */
export function noFate() {
	return {mails: 0, refused: 0, lost: 0, changed: 0, unreadable: 0, unexpected: 0};
}

/**
 * @param {Fate} to
 * @param {Fate} more
 */
export function add(to, more) {
	for (const key of /** @type {Array<keyof Fate>} */ (Object.keys(to))) {
		to[key] += more[key];
	}
}

/**
 * Sends mails into an inbox of their own, and looks for each: in the list, as a message and byte for byte.
 * @param {import('./start.js').Address | ReadonlyArray<import('./start.js').Address>} smtp all of them in turn
 * @param {Client} client
 * @param {readonly Buffer[]} mails
 * @returns {Promise<Fate>}
 */
export async function sendAndFind(smtp, client, mails) {
	const inbox = await client.createInbox();
	const [local, domain] = inbox.address.split('@');
	const sent = new Map(mails.map((mail, index) => [`${local}+${index}@${domain}`, mail]));
	const fate = {...noFate(), mails: mails.length};
	const waiting = [...sent];
	const places = [smtp].flat();
	await Promise.all(
		Array.from({length: Math.min(8, mails.length)}, async () => {
			for (let next = waiting.pop(); next; next = waiting.pop()) {
				const [to, mail] = next;
				const place = places[waiting.length % places.length] ?? places[0];
				if (!place || !(await sendOne(place, to, mail))) {
					fate.refused++;
					sent.delete(to);
				}
			}
		}),
	);

	for (const {id, to} of await client.messages(inbox)) {
		const mail = sent.get(to);
		sent.delete(to);
		const path = `/inboxes/${inbox.id}/messages/${id}`;
		const [shown, raw] = await Promise.all([client.send('GET', path), client.send('GET', `${path}/raw`)]);
		fate.unexpected += mail ? 0 : 1;
		fate.unreadable += shown.status === 200 ? 0 : 1;
		fate.changed += mail?.equals(raw.bytes) === false ? 1 : 0;
	}

	fate.lost += sent.size;
	await client.json('DELETE', `/inboxes/${inbox.id}`);
	return fate;
}

/** The envelope's sender of all mails. */
export const sender = 'proof@sender.test';

/**
 * Whether the mail was taken. A session a mail: where one goes wrong, the next is not concerned.
 * @param {import('./start.js').Address} smtp
 * @param {string} to
 * @param {Buffer} mail
 */
export async function sendOne(smtp, to, mail) {
	try {
		const session = await SmtpSession.open(smtp);
		await session.send(sender, to, stuffed(mail));
		await session.quit();
		return true;
	} catch {
		return false;
	}
}

/**
 * As an SMTP client sends it (RFC 5321, section 4.5.2); the mail must end with a line break.
 * @param {Buffer} mail
 */
function stuffed(mail) {
	return Buffer.from(mail.toString('latin1').replace(/(^|\r\n)\./g, '$1..'), 'latin1');
}

/**
 * A mail with a line break at its end, as every mail has that comes by SMTP.
 * @param {Buffer} mail
 */
export function whole(mail) {
	return mail.subarray(-2).equals(crlf) ? mail : Buffer.concat([mail, crlf]);
}

const crlf = Buffer.from('\r\n');
