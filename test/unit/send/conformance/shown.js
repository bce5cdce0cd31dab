/**
 * @typedef {import('./mails.js').AskedMail} AskedMail
 * @typedef {import('./mails.js').Person} Person
 * @typedef {import('../../../../src/contract/messages.js').FullMessageBody} FullMessageBody
 *
 * @typedef {Omit<AskedMail, 'title'> & {warnings: readonly string[]}} ShownMail
 *
 * @typedef {object} Reader what reads of the message as it is shown
 * @property {(attachmentId: string) => Promise<Uint8Array>} attachment
 * @property {() => Promise<{data: unknown}>} request
 */

/**
 * What is shown of a message, in the words in which it was asked for. Of headers, those that were asked for.
 * @param {FullMessageBody} message
 * @param {Reader} reader
 * @param {AskedMail} asked
 * @returns {Promise<ShownMail>}
 */
export async function shownMail(message, {attachment, request}, asked) {
	const {recipients, envelope, session, headers} = message;
	const {tags = [], metadata = {}, template = null} = session?.request ?? {};
	const named = [...recipients.to, ...recipients.cc].map(({address}) => address);
	return {
		from: {name: message.from_name ?? '', address: message.from},
		to: recipients.to.map(person),
		cc: recipients.cc.map(person),
		bcc: envelope.to.filter(address => !named.includes(address)),
		replyTo: recipients.reply_to.map(person),
		// Of a template that nobody registered, subject and text tell that.
		subject: template ? asked.subject : message.subject,
		text: asked.text === null ? null : lines(message.text),
		html: asked.html === null ? null : lines(message.html),
		files: await Promise.all(
			message.attachments.map(async ({id, filename, content_type: contentType, content_id: contentId}) => ({
				filename,
				contentType,
				content: Buffer.from(await attachment(id)).toString('base64'),
				contentId,
			})),
		),
		headers: Object.fromEntries(
			headers.filter(({name}) => name in asked.headers).map(({name, value}) => [name, value]),
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
 * What is to be shown of it.
 * @param {AskedMail} asked
 * @returns {ShownMail}
 */
export function toBeShown({title: _, ...asked}) {
	return {...asked, warnings: []};
}

/**
 * @param {{name: string | null, address: string}} mailbox
 * @returns {Person}
 */
function person({name, address}) {
	return {name: name ?? '', address};
}

/**
 * A mail ends each line in CRLF, and the last one, too.
 * @param {string} text
 */
function lines(text) {
	return text.replaceAll('\r\n', '\n').replace(/\n$/, '');
}
