import {randomUUID} from 'node:crypto';
import {Fields, WrongField} from '../fields.js';
import {isHeader, isTakenHeader, readNamedAddress, splitAddresses} from '../mail-fields.js';
import {type NamedAddress, SendError, type SentAttachment, type SentMail} from '../provider.js';
import {invalidEmail, postmarkCodes, postmarkError} from './errors.js';

const mebibyte = 1024 * 1024;
const maxBodyBytes = 5 * mebibyte;
/** Of both bodies and the attachments, these in Base64. */
const maxMessageBytes = 10 * mebibyte;

const maxSubjectLength = 2000;
const maxTagLength = 1000;
const maxMetadata = {fields: 10, nameLength: 20, valueLength: 80};

export type PostmarkOptions = {
	readonly now: Date;
	/** Whether a template says what is in it, as for the routes that have it in their name. */
	readonly hasTemplate: boolean;
};

/** The mail that a message of Postmark's API asks for. Throws `SendError`. */
export function readPostmarkMessage(message: unknown, options: PostmarkOptions): SentMail {
	try {
		return readFields(new Fields(message), options);
	} catch (error) {
		if (error instanceof WrongField) {
			const field = error.field === '' ? 'the body' : error.field;
			throw new SendError(
				postmarkError(postmarkCodes.invalidField, `Invalid request field(s) - ${field}. It ${error.problem}.`),
			);
		}

		throw error;
	}
}

function readFields(fields: Fields, {now, hasTemplate}: PostmarkOptions): SentMail {
	const {from, warnings: ofSender} = readSender(fields);
	const {to, cc, bcc} = readRecipients(fields);
	const replyTo = readMailboxes(fields, 'ReplyTo', 'Reply-To');
	const template = hasTemplate ? readTemplate(fields) : undefined;
	const {subject, text, html} = hasTemplate ? withoutContent(fields) : readBodies(fields);
	const attachments = fields.objects('Attachments').map(readPostmarkAttachment);
	assertSize(text, html, attachments);
	const id = randomUUID();
	const {headers, messageId, warnings: ofHeaders} = readHeaders(fields, id);
	const tag = readTag(fields);
	const metadata = readMetadata(fields);
	const undone = warningsOfUndone(fields, hasTemplate);
	return {
		envelope: {from: from.address, to: [...new Set([...to, ...cc, ...bcc].map(({address}) => address))]},
		content: {from, to, cc, replyTo, subject, text, html, amp: undefined, attachments, headers, messageId, date: now},
		tags: tag === '' ? [] : [{name: null, value: tag}],
		metadata,
		template,
		warnings: [...ofSender, ...ofHeaders, ...undone, ...fields.warnings()],
		id,
	};
}

function readBodies(fields: Fields) {
	const [subject = '', text = '', html = ''] = ['Subject', 'TextBody', 'HtmlBody'].map(name => fields.text(name));
	if (text === '' && html === '') {
		throw invalidEmail('Provide either email TextBody or HtmlBody or both.');
	}

	if (subject.length > maxSubjectLength || /[\r\n]/.test(subject)) {
		throw invalidEmail(`Invalid 'Subject' value. It must be one line of at most ${maxSubjectLength} characters.`);
	}

	return {subject, text: text || undefined, html: html || undefined};
}

function withoutContent(fields: Fields) {
	const given = ['Subject', 'TextBody', 'HtmlBody'].find(name => fields.text(name));
	if (given !== undefined) {
		throw new WrongField(given, 'cannot be used with a template');
	}

	return {subject: '', text: undefined, html: undefined};
}

function readTemplate(fields: Fields): SentMail['template'] {
	const id = fields.value('TemplateId');
	const alias = fields.text('TemplateAlias') ?? '';
	if (id !== undefined && !(typeof id === 'number' && Number.isSafeInteger(id))) {
		throw new WrongField('TemplateId', 'must be a whole number');
	}

	if (id === undefined && alias === '') {
		throw new WrongField('TemplateId', 'or "TemplateAlias" is required');
	}

	const model = fields.object('TemplateModel');
	if (!model) {
		throw new WrongField('TemplateModel', 'must be an object');
	}

	return {id: alias === '' ? String(id) : alias, data: Object.fromEntries(model.entries())};
}

function assertSize(text = '', html = '', attachments: readonly SentAttachment[]): void {
	const bodies = [text, html].map(body => Buffer.byteLength(body));
	if (bodies.some(bytes => bytes > maxBodyBytes)) {
		throw invalidEmail('TextBody and HtmlBody can be up to 5 MB each.');
	}

	const encoded = attachments.map(({content}) => Math.ceil(content.length / 3) * 4);
	if ([...bodies, ...encoded].reduce((sum, bytes) => sum + bytes) > maxMessageBytes) {
		throw new SendError(postmarkError(postmarkCodes.invalidEmail, 'The message is larger than 10 MB.', 413));
	}
}

/** With `X-PM-KeepID`, a mail keeps the Message-ID that it was given. */
function readHeaders(fields: Fields, id: string) {
	const given = fields.objects('Headers').map(header => {
		const [name, value] = [header.text('Name') ?? '', header.text('Value') ?? ''];
		if (!isHeader(name, value)) {
			throw invalidEmail(`Invalid header: ${JSON.stringify(name.slice(0, 100))}.`);
		}

		return {name, value};
	});
	const headerOf = (wanted: string) => given.find(({name}) => name.toLowerCase() === wanted)?.value.trim();
	const kept = headerOf('x-pm-keepid')?.toLowerCase() === 'true' ? (headerOf('message-id') ?? '') : '';
	const isKept = /^<[^<>\s]+>$/.test(kept);
	const taken = given.filter(({name}) => isTakenHeader(name) && !(isKept && name.toLowerCase() === 'message-id'));
	return {
		headers: given.filter(({name}) => !isTakenHeader(name)).map(({name, value}) => [name, value] as const),
		messageId: isKept ? kept : `<${id}@mtasv.net>`,
		warnings: taken.map(({name}) => `The header "${name}" in "Headers" was ignored: tinbox sets it.`),
	};
}

function readTag(fields: Fields): string {
	const tag = fields.text('Tag') ?? '';
	if (tag.length > maxTagLength) {
		throw invalidEmail(`Invalid 'Tag' value. It is limited to ${maxTagLength} characters.`);
	}

	return tag;
}

function readMetadata(fields: Fields): Readonly<Record<string, string>> {
	const entries = fields.object('Metadata')?.entries() ?? [];
	if (entries.length > maxMetadata.fields) {
		throw invalidEmail(`Invalid metadata content. It is limited to ${maxMetadata.fields} fields.`);
	}

	const texts = entries.map(([name, value]) => {
		if (typeof value === 'object' && value !== null) {
			throw new WrongField(`Metadata.${name}`, 'must be a string');
		}

		return [name, String(value ?? '')] as const;
	});
	const tooLong = texts.find(
		([name, value]) => name.length > maxMetadata.nameLength || value.length > maxMetadata.valueLength,
	);
	if (tooLong) {
		throw invalidEmail(
			`Invalid metadata content. Field names are limited to 20 characters and field values are limited to 80 characters in length. The '${tooLong[0]}' field in your metadata content exceeds these limits.`,
		);
	}

	return Object.fromEntries(texts);
}

/** Fields that Postmark knows and that change nothing here. */
function warningsOfUndone(fields: Fields, hasTemplate: boolean): readonly string[] {
	const warnings: string[] = [];
	if (fields.value('TrackOpens') === true) {
		warnings.push('"TrackOpens" has no effect: tinbox does not track opens.');
	}

	const trackLinks = fields.text('TrackLinks') ?? 'None';
	if (!['None', 'HtmlAndText', 'HtmlOnly', 'TextOnly'].includes(trackLinks)) {
		throw new WrongField('TrackLinks', 'must be None, HtmlAndText, HtmlOnly or TextOnly');
	}

	if (trackLinks !== 'None') {
		warnings.push('"TrackLinks" has no effect: tinbox does not rewrite links.');
	}

	const stream = readStream(fields);
	if (stream !== 'outbound') {
		warnings.push(`"MessageStream" is "${stream}", but tinbox does not separate streams.`);
	}

	if (hasTemplate && fields.value('InlineCss') === true) {
		warnings.push('"InlineCss" has no effect: tinbox does not inline styles.');
	}

	return warnings;
}

function readStream(fields: Fields): string {
	const stream = fields.text('MessageStream') ?? 'outbound';
	if (stream === 'inbound') {
		throw new SendError(
			postmarkError(postmarkCodes.notASendingStream, "Sending is not supported on the supplied 'MessageStream'."),
		);
	}

	if (!/^[a-z][\w-]{0,29}$/i.test(stream)) {
		throw new SendError(
			postmarkError(postmarkCodes.noStream, "The 'MessageStream' provided does not exist on this server."),
		);
	}

	return stream;
}

/** Of `To`, `Cc` and `Bcc` together. */
const maxRecipients = 50;

/** Postmark takes the first one of several. */
function readSender(fields: Fields) {
	const given = splitAddresses(fields.text('From') ?? '');
	const [first] = given;
	if (first === undefined) {
		throw invalidEmail("Invalid 'From' value.");
	}

	const from = readNamedAddress(first);
	if (!from) {
		throw invalidEmail(`Invalid 'From' address: '${first.slice(0, 320)}'.`);
	}

	return {from, warnings: given.length > 1 ? ['"From" has several senders. The first one is used.'] : []};
}

function readRecipients(fields: Fields) {
	const count = ['To', 'Cc', 'Bcc'].flatMap(name => splitAddresses(fields.text(name) ?? '')).length;
	if (count === 0) {
		throw invalidEmail('Zero recipients specified');
	}

	if (count > maxRecipients) {
		throw invalidEmail(`Maximum of ${maxRecipients} recipients allowed per email message. This one has ${count}.`);
	}

	const [to, cc, bcc] = [readMailboxes(fields, 'To'), readMailboxes(fields, 'Cc'), readMailboxes(fields, 'Bcc')];
	return {to, cc, bcc};
}

/** The mailboxes of a field, which Postmark calls by the name of the header. */
function readMailboxes(fields: Fields, name: string, header = name): readonly NamedAddress[] {
	return splitAddresses(fields.text(name) ?? '').map(text => {
		const mailbox = readNamedAddress(text);
		if (!mailbox) {
			const shown = text.slice(0, 320);
			throw invalidEmail(
				text.includes('@')
					? `Error parsing '${header}': Illegal email address '${shown}'.`
					: `Error parsing '${header}': Illegal email address '${shown}'. It must contain the '@' symbol.`,
			);
		}

		return mailbox;
	});
}

/** Endings of files that Postmark does not send. */
const refusedEndings: ReadonlySet<string> = new Set(
	`vbs exe bin bat chm com cpl crt hlp hta inf ins isp jse lnk mdb pcd pif reg scr sct shs vbe vba wsf wsh wsl msc msi msp mst`.split(
		' ',
	),
);

function readPostmarkAttachment(fields: Fields): SentAttachment {
	const filename = fields.text('Name') ?? '';
	const contentType = fields.text('ContentType') ?? '';
	const given = fields.text('ContentID') ?? '';
	// Without this, it is an attachment that can be named all the same.
	const isInline = /^cid:/i.test(given);
	const contentId = given.replace(/^cid:/i, '');
	// It follows from the content.
	fields.value('ContentLength');
	for (const [name, text] of Object.entries({Name: filename, ContentType: contentType, ContentID: contentId})) {
		if (/\p{Cc}/u.test(text)) {
			throw new WrongField(fields.pathOf(name), 'must be on one line');
		}
	}

	if (refusedEndings.has(/\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '')) {
		throw new SendError(
			postmarkError(
				postmarkCodes.forbiddenAttachment,
				`Attachments of this type are not allowed: ${filename.slice(-100)}`,
			),
		);
	}

	return {
		filename,
		content: decodeContent(fields),
		contentType,
		contentId,
		disposition: readDisposition(fields) ?? (isInline ? 'inline' : 'attachment'),
	};
}

function readDisposition(fields: Fields): SentAttachment['disposition'] | undefined {
	const given = fields.text('Disposition')?.toLowerCase();
	if (given !== undefined && given !== 'inline' && given !== 'attachment') {
		throw new WrongField(fields.pathOf('Disposition'), 'must be "inline" or "attachment"');
	}

	return given;
}

function decodeContent(fields: Fields): Buffer {
	const content = fields.text('Content');
	if (content === undefined || /[^A-Za-z\d+/=\s]/.test(content)) {
		throw new WrongField(fields.pathOf('Content'), 'must be Base64');
	}

	return Buffer.from(content, 'base64');
}
