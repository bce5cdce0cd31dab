import {SmtpSession} from '../../helpers/smtp-session.js';

/**
 * @typedef {import('./client.js').Client} Client
 * @typedef {object} Fate counts of mails by result
 * @property {number} mails
 * @property {number} refused not answered with 250
 * @property {number} lost answered with 250, but not stored
 * @property {number} changed stored, but not byte for byte
 * @property {number} unreadable stored, but not shown by the API
 * @property {number} unexpected stored, but not sent
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
 * Sends mails to a new inbox, and checks each in the list, as a message and byte for byte.
 * @param {import('./start.js').Address | ReadonlyArray<import('./start.js').Address>} smtp several addresses are used in turn
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

/** Envelope sender of all mails. */
export const sender = 'proof@sender.test';

/**
 * Sends a mail in a new session and returns true if it was accepted.
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
 * Applies dot-stuffing (RFC 5321, section 4.5.2).
 * @param {Buffer} mail
 */
function stuffed(mail) {
	return Buffer.from(mail.toString('latin1').replace(/(^|\r\n)\./g, '$1..'), 'latin1');
}

/**
 * Appends a line break if the mail does not end with one.
 * @param {Buffer} mail
 */
export function whole(mail) {
	return mail.subarray(-2).equals(crlf) ? mail : Buffer.concat([mail, crlf]);
}

const crlf = Buffer.from('\r\n');
