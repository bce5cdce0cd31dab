import {randomUUID} from 'node:crypto';
import {z} from 'zod';
import {shortCopy} from '../../lib/text/sanitize.js';
import {
	describeType,
	fieldNames,
	fieldPath,
	objectList,
	optional,
	readJson,
	type ValidInput,
	validate,
	warnOfUnknownFields,
} from '../json.js';
import {formatAddresses, isHeader, isTakenHeader, readNamedAddress, splitAddresses} from '../mail-fields.js';
import {
	type ComposedContent,
	type MailOutcome,
	type NamedAddress,
	type Provider,
	readOrReject,
	type SendRequest,
	type SendRoute,
	type SentAttachment,
	type SentMail,
} from '../provider.js';
import {postmarkCodes, postmarkProblem, refuseEmail, refuseField, refuseRequest} from './errors.js';

/** Maximum number of messages in a batch. */
const maxBatch = 500;

/** Postmark's token for requests that are validated but not sent. In tinbox it is a key without an inbox. */
const testToken = 'POSTMARK_API_TEST';

const types = ['application/json', 'text/json', 'text/x-json'];

function single(path: string, hasTemplate: boolean): SendRoute {
	return {
		method: 'POST',
		path,
		types,
		read: ({body, now}) => [readPostmarkMessage(readJson(body), {now, hasTemplate})],
		answer: (outcomes, request) => ({status: 200, body: outcomes.map(outcome => entryOf(outcome, request))[0]}),
	};
}

/** Route for a batch: the answer has one entry per message, and messages fail independently. */
function batch(path: string, hasTemplate: boolean): SendRoute {
	return {
		method: 'POST',
		path,
		types,
		allowsPartialSuccess: true,
		read: ({body, now}) =>
			messagesOf(readJson(body), hasTemplate).map(message =>
				readOrReject(() => readPostmarkMessage(message, {now, hasTemplate})),
			),
		answer: (outcomes, request) => ({status: 200, body: outcomes.map(outcome => entryOf(outcome, request))}),
	};
}

export const postmark: Provider = {
	name: 'postmark',
	maxBytes: 50 * 1024 * 1024,
	routes: [
		single('/email', false),
		batch('/email/batch', false),
		single('/email/withTemplate', true),
		batch('/email/batchWithTemplates', true),
	],
	keyOf: ({headers}) => headers['x-postmark-server-token']?.trim() || undefined,
	problem: postmarkProblem,
};

function messagesOf(body: unknown, hasTemplate: boolean): readonly unknown[] {
	const messages = hasTemplate ? (body as {Messages?: unknown} | null)?.Messages : body;
	if (!Array.isArray(messages)) {
		const what = hasTemplate ? 'Messages. It must be an array' : 'the body. It must be an array of messages';
		throw refuseRequest(postmarkCodes.invalidField, `Invalid request field(s) - ${what}.`);
	}

	if (messages.length > maxBatch) {
		throw refuseRequest(
			postmarkCodes.tooManyMessages,
			`You may send up to ${maxBatch} messages in a batch. This one has ${messages.length}.`,
		);
	}

	return messages;
}

function entryOf(outcome: MailOutcome, {headers, now}: SendRequest): unknown {
	if ('failure' in outcome) {
		return postmarkProblem(outcome.failure).body;
	}

	return {
		...outcome.echo,
		SubmittedAt: now.toISOString(),
		MessageID: outcome.id,
		ErrorCode: 0,
		Message: headers['x-postmark-server-token'] === testToken ? 'Test job accepted' : 'OK',
	};
}

const mebibyte = 1024 * 1024;
const maxBodyBytes = 5 * mebibyte;
/** Bytes of both bodies and the attachments in Base64. */
const maxMessageBytes = 10 * mebibyte;

/** Maximum number of recipients in `To`, `Cc` and `Bcc` together. */
const maxRecipients = 50;

/** Maximum length of the recipients that the answer repeats, in characters. */
const maxEcho = 20_000;

const maxSubjectLength = 2000;
const maxTagLength = 1000;
const maxMetadata = {fields: 10, nameLength: 20, valueLength: 80};

const text = optional(z.string());
const record = optional(z.record(z.string(), z.unknown()));
const anything = optional(z.unknown());

const attachmentSchema = z.strictObject({
	Name: text,
	ContentType: text,
	ContentID: text,
	// Ignored: it follows from the content.
	ContentLength: anything,
	Disposition: text,
	Content: text,
});

const messageFields = {
	From: text,
	To: text,
	Cc: text,
	Bcc: text,
	ReplyTo: text,
	Subject: text,
	TextBody: text,
	HtmlBody: text,
	Attachments: objectList(attachmentSchema),
	Headers: objectList(z.strictObject({Name: text, Value: text})),
	Tag: text,
	Metadata: record,
	TrackOpens: anything,
	TrackLinks: text,
	MessageStream: text,
};

const messageSchema = z.strictObject(messageFields);

const templateMessageSchema = z.strictObject({
	...messageFields,
	TemplateId: anything,
	TemplateAlias: text,
	TemplateModel: record,
	InlineCss: anything,
});

type Message = z.output<typeof messageSchema> & Partial<z.output<typeof templateMessageSchema>>;
type Attachment = z.output<typeof attachmentSchema>;

type PostmarkOptions = {
	readonly now: Date;
	/** True for the routes `withTemplate`: a template provides the content. */
	readonly hasTemplate: boolean;
};

/** Reads a message of Postmark's API. Throws `SendError`. */
function readPostmarkMessage(input: unknown, {now, hasTemplate}: PostmarkOptions): SentMail {
	const {value: message, unknown} = validateMessage(input, hasTemplate);
	const {from, warnings: senderWarnings} = readSender(message);
	const {to, cc, bcc} = readRecipients(message);
	const replyTo = readMailboxes(message, 'ReplyTo', 'Reply-To');
	const template = hasTemplate ? readTemplate(message) : undefined;
	const {subject, text, html} = hasTemplate ? assertNoContent(message) : readContent(message);
	const attachments = message.Attachments.map((attachment, index) =>
		readAttachment(attachment, `Attachments[${index}]`),
	);
	assertSize(text, html, attachments);
	const id = randomUUID();
	const {headers, messageId, warnings: headerWarnings} = readHeaders(message, id);
	const tag = readTag(message);
	const metadata = readMetadata(message);
	const ignored = warnOfIgnoredFields(message, hasTemplate);
	return {
		envelope: {from: from.address, to: [...new Set([...to, ...cc, ...bcc].map(({address}) => address))]},
		content: {from, to, cc, replyTo, subject, text, html, attachments, headers, messageId, date: now},
		tags: tag === '' ? [] : [{name: null, value: tag}],
		metadata,
		template,
		warnings: [...senderWarnings, ...headerWarnings, ...ignored, ...warnOfUnknownFields(fieldNames(unknown))],
		id,
		...(to.length > 0 && {echo: {To: shortCopy(formatAddresses(to), maxEcho)}}),
	};
}

function validateMessage(input: unknown, hasTemplate: boolean): ValidInput<Message> {
	return validate<z.ZodType<Message>>(
		hasTemplate ? templateMessageSchema : messageSchema,
		input,
		describeType,
		([{path, message}]) => refuseField(fieldPath(path), message),
	);
}

/** Reads the sender: the first one if there are several, as Postmark does. */
function readSender({From = ''}: Message) {
	const given = splitAddresses(From);
	const [first] = given;
	if (first === undefined) {
		throw refuseEmail("Invalid 'From' value.");
	}

	const from = readNamedAddress(first);
	if (!from) {
		throw refuseEmail(`Invalid 'From' address: '${first.slice(0, 320)}'.`);
	}

	return {from, warnings: given.length > 1 ? ['"From" has several senders. The first one is used.'] : []};
}

function readRecipients(message: Message) {
	const {To = '', Cc = '', Bcc = ''} = message;
	const count = [To, Cc, Bcc].flatMap(splitAddresses).length;
	if (count === 0) {
		throw refuseEmail('Zero recipients specified');
	}

	if (count > maxRecipients) {
		throw refuseEmail(`Maximum of ${maxRecipients} recipients allowed per email message. This one has ${count}.`);
	}

	return {to: readMailboxes(message, 'To'), cc: readMailboxes(message, 'Cc'), bcc: readMailboxes(message, 'Bcc')};
}

/** Reads the mailboxes of a field. Postmark's errors call it by the name of the header. */
function readMailboxes(
	message: Message,
	field: 'To' | 'Cc' | 'Bcc' | 'ReplyTo',
	header: string = field,
): readonly NamedAddress[] {
	return splitAddresses(message[field] ?? '').map(text => {
		const mailbox = readNamedAddress(text);
		if (!mailbox) {
			const shown = text.slice(0, 320);
			throw refuseEmail(
				text.includes('@')
					? `Error parsing '${header}': Illegal email address '${shown}'.`
					: `Error parsing '${header}': Illegal email address '${shown}'. It must contain the '@' symbol.`,
			);
		}

		return mailbox;
	});
}

function readContent({Subject: subject = '', TextBody: text = '', HtmlBody: html = ''}: Message) {
	if (text === '' && html === '') {
		throw refuseEmail('Provide either email TextBody or HtmlBody or both.');
	}

	if (subject.length > maxSubjectLength || /[\r\n]/.test(subject)) {
		throw refuseEmail(`Invalid 'Subject' value. It must be one line of at most ${maxSubjectLength} characters.`);
	}

	return {subject, text: text || undefined, html: html || undefined};
}

function assertNoContent(message: Message): Pick<ComposedContent, 'subject' | 'text' | 'html'> {
	const given = (['Subject', 'TextBody', 'HtmlBody'] as const).find(name => message[name]);
	if (given !== undefined) {
		throw refuseField(given, 'cannot be used with a template');
	}

	return {subject: ''};
}

function readTemplate({TemplateId: id, TemplateAlias: alias = '', TemplateModel: data}: Message): SentMail['template'] {
	if (id !== undefined && !(typeof id === 'number' && Number.isSafeInteger(id))) {
		throw refuseField('TemplateId', 'must be a whole number');
	}

	if (id === undefined && alias === '') {
		throw refuseField('TemplateId', 'or "TemplateAlias" is required');
	}

	if (!data) {
		throw refuseField('TemplateModel', 'must be an object');
	}

	return {id: alias === '' ? String(id) : alias, data};
}

function assertSize(text = '', html = '', attachments: readonly SentAttachment[]): void {
	const bodies = [text, html].map(body => Buffer.byteLength(body));
	if (bodies.some(bytes => bytes > maxBodyBytes)) {
		throw refuseEmail('TextBody and HtmlBody can be up to 5 MB each.');
	}

	const encoded = attachments.map(({content}) => Math.ceil(content.length / 3) * 4);
	if ([...bodies, ...encoded].reduce((sum, bytes) => sum + bytes) > maxMessageBytes) {
		throw refuseRequest(postmarkCodes.invalidEmail, 'The message is larger than 10 MB.', 413);
	}
}

/** Reads the additional headers. With `X-PM-KeepID: true`, a `Message-ID` among them is kept. */
function readHeaders({Headers}: Message, id: string) {
	const given = Headers.map(({Name: name = '', Value: value = ''}) => {
		if (!isHeader(name, value)) {
			throw refuseEmail(`Invalid header: ${JSON.stringify(name.slice(0, 100))}.`);
		}

		return {name, value};
	});
	const headerValue = (wanted: string) => given.find(({name}) => name.toLowerCase() === wanted)?.value.trim();
	const givenId = headerValue('x-pm-keepid')?.toLowerCase() === 'true' ? (headerValue('message-id') ?? '') : '';
	const isKept = /^<[^<>\s]+>$/.test(givenId);
	const ignored = given.filter(({name}) => isTakenHeader(name) && !(isKept && name.toLowerCase() === 'message-id'));
	return {
		headers: given.filter(({name}) => !isTakenHeader(name)).map(({name, value}) => [name, value] as const),
		messageId: isKept ? givenId : `<${id}@mtasv.net>`,
		warnings: ignored.map(({name}) => `The header "${name}" in "Headers" was ignored: tinbox sets it.`),
	};
}

function readTag({Tag: tag = ''}: Message): string {
	if (tag.length > maxTagLength) {
		throw refuseEmail(`Invalid 'Tag' value. It is limited to ${maxTagLength} characters.`);
	}

	return tag;
}

function readMetadata({Metadata = {}}: Message): Readonly<Record<string, string>> {
	const entries = Object.entries(Metadata);
	if (entries.length > maxMetadata.fields) {
		throw refuseEmail(`Invalid metadata content. It is limited to ${maxMetadata.fields} fields.`);
	}

	const texts = entries.map(([name, value]) => {
		if (typeof value === 'object' && value !== null) {
			throw refuseField(`Metadata.${name}`, 'must be a string');
		}

		return [name, String(value ?? '')] as const;
	});
	const tooLong = texts.find(
		([name, value]) => name.length > maxMetadata.nameLength || value.length > maxMetadata.valueLength,
	);
	if (tooLong) {
		throw refuseEmail(
			`Invalid metadata content. Field names are limited to 20 characters and field values are limited to 80 characters in length. The '${tooLong[0]}' field in your metadata content exceeds these limits.`,
		);
	}

	return Object.fromEntries(texts);
}

/** Warnings about fields of Postmark that have no effect in tinbox. */
function warnOfIgnoredFields(message: Message, hasTemplate: boolean): readonly string[] {
	const warnings: string[] = [];
	if (message.TrackOpens === true) {
		warnings.push('"TrackOpens" has no effect: tinbox does not track opens.');
	}

	const {TrackLinks: trackLinks = 'None'} = message;
	if (!['None', 'HtmlAndText', 'HtmlOnly', 'TextOnly'].includes(trackLinks)) {
		throw refuseField('TrackLinks', 'must be None, HtmlAndText, HtmlOnly or TextOnly');
	}

	if (trackLinks !== 'None') {
		warnings.push('"TrackLinks" has no effect: tinbox does not rewrite links.');
	}

	const stream = readStream(message);
	if (stream !== 'outbound') {
		warnings.push(`"MessageStream" is "${stream}", but tinbox does not separate streams.`);
	}

	if (hasTemplate && message.InlineCss === true) {
		warnings.push('"InlineCss" has no effect: tinbox does not inline styles.');
	}

	return warnings;
}

function readStream({MessageStream: stream = 'outbound'}: Message): string {
	if (stream === 'inbound') {
		throw refuseRequest(postmarkCodes.notASendingStream, "Sending is not supported on the supplied 'MessageStream'.");
	}

	if (!/^[a-z][\w-]{0,29}$/i.test(stream)) {
		throw refuseRequest(postmarkCodes.noStream, "The 'MessageStream' provided does not exist on this server.");
	}

	return stream;
}

/** File extensions that Postmark does not send. */
const refusedExtensions: ReadonlySet<string> = new Set(
	`vbs exe bin bat chm com cpl crt hlp hta inf ins isp jse lnk mdb pcd pif reg scr sct shs vbe vba wsf wsh wsl msc msi msp mst`.split(
		' ',
	),
);

function readAttachment(attachment: Attachment, field: string): SentAttachment {
	const {Name: filename = '', ContentType: contentType = '', ContentID: givenId = ''} = attachment;
	// Without the prefix, the attachment is no inline file, but the HTML can refer to it.
	const isInline = /^cid:/i.test(givenId);
	const contentId = givenId.replace(/^cid:/i, '');
	for (const [name, text] of Object.entries({Name: filename, ContentType: contentType, ContentID: contentId})) {
		if (/\p{Cc}/u.test(text)) {
			throw refuseField(`${field}.${name}`, 'must be on one line');
		}
	}

	if (refusedExtensions.has(/\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '')) {
		throw refuseRequest(
			postmarkCodes.forbiddenAttachment,
			`Attachments of this type are not allowed: ${filename.slice(-100)}`,
		);
	}

	return {
		filename,
		content: decodeContent(attachment, field),
		contentType,
		contentId,
		disposition: readDisposition(attachment, field) ?? (isInline ? 'inline' : 'attachment'),
	};
}

function readDisposition({Disposition}: Attachment, field: string): SentAttachment['disposition'] | undefined {
	const disposition = Disposition?.toLowerCase();
	if (disposition !== undefined && disposition !== 'inline' && disposition !== 'attachment') {
		throw refuseField(`${field}.Disposition`, 'must be "inline" or "attachment"');
	}

	return disposition;
}

function decodeContent({Content: content}: Attachment, field: string): Buffer {
	if (content === undefined || /[^A-Za-z\d+/=\s]/.test(content)) {
		throw refuseField(`${field}.Content`, 'must be Base64');
	}

	return Buffer.from(content, 'base64');
}
