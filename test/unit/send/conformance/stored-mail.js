/**
 * @typedef {import('./requested-mails.js').RequestedMail} RequestedMail
 * @typedef {import('./requested-mails.js').Person} Person
 * @typedef {import('../../../../src/contract/messages.js').FullMessageBody} FullMessageBody
 *
 * @typedef {Omit<RequestedMail, 'title'> & {warnings: readonly string[]}} NormalizedMail
 *
 * @typedef {object} Reader reads parts of a stored message
 * @property {(attachmentId: string) => Promise<Uint8Array>} attachment
 * @property {() => Promise<{data: unknown}>} request
 */

/**
 * Converts a stored message to the form of the requested mail. Only requested headers are included.
 * @param {FullMessageBody} message
 * @param {Reader} reader
 * @param {RequestedMail} requested
 * @returns {Promise<NormalizedMail>}
 */
export async function normalizedMessage(message, {attachment, request}, requested) {
	const {recipients, envelope, session, headers} = message;
	const {tags = [], metadata = {}, template = null} = session?.request ?? {};
	const named = [...recipients.to, ...recipients.cc].map(({address}) => address);
	return {
		from: {name: message.from_name ?? '', address: message.from},
		to: recipients.to.map(person),
		cc: recipients.cc.map(person),
		bcc: envelope.to.filter(address => !named.includes(address)),
		replyTo: recipients.reply_to.map(person),
		// The subject of a mail with an unregistered template describes that.
		subject: template ? requested.subject : message.subject,
		text: requested.text === null ? null : lines(message.text),
		html: requested.html === null ? null : lines(message.html),
		files: await Promise.all(
			message.attachments.map(async ({id, filename, content_type: contentType, content_id: contentId}) => ({
				filename,
				contentType,
				content: Buffer.from(await attachment(id)).toString('base64'),
				contentId,
			})),
		),
		headers: Object.fromEntries(
			headers.filter(({name}) => name in requested.headers).map(({name, value}) => [name, value]),
		),
		tags,
		metadata,
		template: template && {
			id: template.id,
			data: /** @type {Record<string, unknown>} */ ((await request()).data),
		},
		warnings: template ? [] : message.warnings,
	};
}

/**
 * The expected result for a requested mail.
 * @param {RequestedMail} requested
 * @returns {NormalizedMail}
 */
export function expectedMessage({title: _, ...requested}) {
	return {...requested, warnings: []};
}

/**
 * @param {{name: string | null, address: string}} mailbox
 * @returns {Person}
 */
function person({name, address}) {
	return {name: name ?? '', address};
}

/**
 * Normalizes line ends, and removes the final one that mail adds.
 * @param {string} text
 */
function lines(text) {
	return text.replaceAll('\r\n', '\n').replace(/\n$/, '');
}
