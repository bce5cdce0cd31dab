import {z} from 'zod';
import {
	amountField,
	type Body,
	countParameter,
	type Input,
	nullableText,
	pageParameters,
	type Query,
	responseObject,
	timeField,
	waitParameter,
} from './common.js';
import {findings, matches, maxPatternLength, maxTogether, rowFields, sendProviders} from './constants.js';
import {refusalSchema} from './daemon.js';
import {faultHitSchema} from './faults.js';

/** Attachment of a message, without its content. */
const attachmentSchema = responseObject('Attachment', {
	id: z.string().describe('Id of the attachment, unique within the message.'),
	filename: z.string().describe('File name; empty if the mail gives none.'),
	content_type: z
		.string()
		.describe(
			'Media type given in the mail, or guessed from the file name if the mail says `application/octet-stream`.',
		),
	size: amountField.describe('Size of the decoded content in bytes.'),
	content_id: nullableText.describe('Content-ID that the HTML refers to as `cid:`; null for none.'),
	disposition: nullableText.describe('Content-Disposition, `attachment` or `inline`; null for none.'),
});

export type AttachmentBody = Body<typeof attachmentSchema>;

/** Address in a header field, with its display name. */
const mailboxSchema = responseObject('Mailbox', {
	name: nullableText.describe('Display name; null for none.'),
	address: z.string().describe('Email address.'),
});

export type MailboxBody = Body<typeof mailboxSchema>;

/** Delivery status notifications that the sender requested (RFC 3461), decoded. */
const dsnSchema = responseObject('Dsn', {
	ret: z.enum(['FULL', 'HDRS']).describe('Part of the mail that a notification returns (`RET`).').optional(),
	envid: z.string().describe('Envelope id given by the sender (`ENVID`).').optional(),
	recipients: z
		.record(
			z.string(),
			responseObject('DsnRecipient', {
				notify: z.array(z.string()).describe('Requested notifications (`NOTIFY`).').optional(),
				orcpt: z.string().describe('Original recipient (`ORCPT`).').optional(),
			}),
		)
		.describe('Parameters of the recipients that have any, by envelope address.')
		.optional(),
});

export type DsnBody = Body<typeof dsnSchema>;

/** SMTP envelope (RFC 5321, section 3.3). */
const envelopeSchema = responseObject('Envelope', {
	from: z.string().describe('Envelope sender (`MAIL FROM`); empty for a bounce.'),
	to: z.array(z.string()).describe('Envelope recipients (`RCPT TO`).'),
	dsn: dsnSchema
		.describe('Delivery status notifications that the sender requested (RFC 3461); absent for none.')
		.optional(),
});

export type EnvelopeBody = Body<typeof envelopeSchema>;

/** Sending API request of a mail, with values that are not part of the mail. */
const sendRequestSchema = responseObject('SendRequest', {
	provider: z.enum(sendProviders).describe('Provider whose API was used.'),
	path: z.string().describe('Path of the request, relative to the base path of the provider.'),
	id: z.string().describe('Id of the mail in the response of the sending API.'),
	tags: z
		.array(
			responseObject('Tag', {
				name: nullableText.describe('Name of the tag; null if the provider has none.'),
				value: z.string().describe('Value of the tag.'),
			}),
		)
		.describe('Tags of the mail.'),
	metadata: z.record(z.string(), z.string()).describe('Custom values of the mail, by name.'),
	template: z
		.object({
			id: z.string().describe('Id of the template.'),
			registered: z.boolean().describe('True if the template was registered with tinbox.'),
		})
		.nullable()
		.describe('Template of the mail; null for none.'),
	warnings: z
		.array(z.string())
		.describe('Sentences about parts of the request that were not understood or have no effect here.'),
});

export type SendRequestBody = Body<typeof sendRequestSchema>;

/** SMTP session or sending API request of a mail. All values except the host are given by the client. */
const sessionSchema = responseObject('Session', {
	tls: z
		.object({
			version: z.string().describe('TLS version, such as `TLSv1.3`.'),
			cipher: z.string().describe('Standard name of the cipher suite, such as `TLS_AES_256_GCM_SHA384`.'),
			servername: nullableText.describe('Server name (SNI) that the client requested; null for none.'),
			client: z.string().describe('Subject of the verified client certificate; absent for none.').optional(),
		})
		.nullable()
		.describe('TLS parameters; null for an unencrypted connection.'),
	auth: z
		.object({
			mechanism: z.string().describe('Authentication mechanism, such as `PLAIN`.'),
			user: z.string().describe('User name of the login.'),
		})
		.nullable()
		.describe('SMTP login; null if the client did not log in. Passwords are not stored.'),
	client: z
		.object({
			host: z.string().describe('Address of the client.'),
			helo: nullableText.describe(
				'Name that the client gave in HELO or EHLO; for a sending API, its `User-Agent`. Null for none.',
			),
		})
		.describe('Client of the connection.'),
	request: sendRequestSchema.describe('Request of the sending API; absent for mail received over SMTP.').optional(),
});

export type SessionBody = Body<typeof sessionSchema>;

/** Message, without its header fields. */
const messageSchema = responseObject('Message', {
	id: z.string().describe('Id of the message.'),
	inbox_id: z.string().describe('Id of the inbox that stores the message.'),
	from: z.string().describe('Address in the `From` header field, or the envelope sender if there is none.'),
	from_name: nullableText.describe('Name in the `From` header field; null for none.'),
	to: z.string().describe('Envelope recipient that led to the inbox.'),
	cc: z.array(z.string()).describe('Addresses in the `Cc` header field.'),
	reply_to: z.array(z.string()).describe('Addresses in the `Reply-To` header field.'),
	recipients: responseObject('Recipients', {
		to: z.array(mailboxSchema).describe('Mailboxes in the `To` header field.'),
		cc: z.array(mailboxSchema).describe('Mailboxes in the `Cc` header field.'),
		reply_to: z.array(mailboxSchema).describe('Mailboxes in the `Reply-To` header field.'),
	}).describe('Names and addresses in the header fields.'),
	date: timeField.nullable().describe('Time in the `Date` header field; null if it is missing or invalid.'),
	subject: z.string().describe('Subject; empty if there is none.'),
	text: z.string().describe('Plain text; for a mail that has only HTML, its HTML as text. Empty if there is none.'),
	html: z.string().describe('HTML; empty if there is none.'),
	size: amountField.describe('Size of the source in bytes.'),
	attachments: z.array(attachmentSchema).describe('Attachments, without their content.'),
	codes: z.array(z.string()).describe('One-time codes found in the mail, the best candidate first.'),
	links: z
		.array(
			responseObject('Link', {
				url: z.string().describe('Address of the link.'),
				text: z.string().describe('Text of the link.'),
			}),
		)
		.describe('Links found in the mail, the best candidate first.'),
	message_id: z.string().describe('Message-ID header field without angle brackets; empty if there is none.'),
	envelope: envelopeSchema.describe('Sender and recipients of the SMTP envelope.'),
	session: sessionSchema
		.nullable()
		.describe('Session that delivered the mail; null for mail that was imported or that the daemon generated.'),
	warnings: z.array(z.string()).describe('Sentences about parts of a damaged mail that could not be read.'),
	received_at: timeField.describe('Time when the message was stored.'),
});

export type MessageBody = Body<typeof messageSchema>;

/** Message with its header fields. */
export const fullMessageSchema = messageSchema
	.extend({
		headers: z
			.array(
				responseObject('HeaderField', {
					name: z.string().describe('Name of the field.'),
					value: z.string().describe('Decoded value of the field.'),
				}),
			)
			.describe('Header fields in the order of the mail.'),
	})
	.meta({id: 'FullMessage'});

export type FullMessageBody = Body<typeof fullMessageSchema>;

/** Summary of a message for lists. */
export const messageSummarySchema = messageSchema
	.pick({
		id: true,
		inbox_id: true,
		from: true,
		from_name: true,
		to: true,
		subject: true,
		size: true,
		received_at: true,
	})
	.meta({id: 'MessageSummary'});

export type MessageSummaryBody = Body<typeof messageSummarySchema>;

/** Summary of a message with its envelope. */
export type MessageEnvelopeBody = MessageSummaryBody & Pick<MessageBody, 'envelope'>;

/** Whole message, or the subset that `fields` selects; clients could not distinguish a union of them. */
export const messageListSchema = z.array(
	messageSchema
		.partial()
		.extend(messageSummarySchema.shape)
		.describe('Message without headers; with `fields`, only the requested subset.')
		.meta({id: 'MessageRow'}),
);

/** Maximum number of `header`, `has` and `link` conditions of one list, each. */
const maxRepeated = 10;

const repeatProblem = `must be given at most ${maxRepeated} times`;

const patternField = z.string().max(maxPatternLength, `must be at most ${maxPatternLength} characters long`);

/** Parameter that can be repeated. */
const repeated = z.union([z.string(), z.array(z.string())]).transform(given => [given].flat());

/** Pattern of an id or a time. Generated clients would make a separate type of alternatives. */
const cursorPattern = new RegExp(
	[
		z.regexes.uuid(),
		z.regexes.date,
		z.regexes.datetime({offset: true}),
		// Precision -1 means minutes.
		z.regexes.datetime({offset: true, precision: -1}),
	]
		.map(({source}) => source)
		.join('|'),
);

const cursorField = z
	.string()
	.regex(cursorPattern, 'must be the id of a message, a time such as 2026-01-31T12:00Z, or a date')
	.meta({id: 'After'});

const messageIdField = z.uuid('must be the id of a message');

/** Conditions of a list or a wait; a message must match all. */
const messageFilterSchema = z.strictObject({
	q: patternField.optional().describe('Text in the subject; always a case-insensitive substring.'),
	subject: patternField.optional().describe('Text in the subject, compared according to `match`.'),
	from: patternField.optional().describe('Text in the address or name of the sender, compared according to `match`.'),
	to: patternField
		.optional()
		.describe(
			'Text in an envelope recipient, or in an address or name of the `To` header field, compared according to `match`.',
		),
	tls: z
		.enum(['true', 'false'])
		.transform(text => text === 'true')
		.pipe(z.boolean())
		.optional()
		.describe('True for mail received over TLS, false for unencrypted mail.'),
	smtp_user: z.string().optional().describe('User name of the SMTP login that sent the mail; compared exactly.'),
	contains: patternField
		.optional()
		.describe('Text in the text or the HTML of the mail, compared according to `match`.'),
	header: repeated
		.pipe(
			z.array(z.string().regex(/^\s*[^:\s][^:]*:/, 'must be written as "Name: value"')).max(maxRepeated, repeatProblem),
		)
		.optional()
		.describe(
			`Header field as \`Name: value\`, the value compared according to \`match\`; \`Name:\` only requires the field. Can be repeated up to ${maxRepeated} times.`,
		),
	has: repeated
		.pipe(z.array(z.enum(findings, 'must be "code" or "link"')).max(maxRepeated, repeatProblem))
		.optional()
		.describe('Only messages that contain a one-time code (`code`) or a link (`link`). Can be repeated.'),
	link: repeated
		.pipe(z.array(patternField).max(maxRepeated, repeatProblem))
		.optional()
		.describe(
			`Text in the address or the text of a link, compared according to \`match\`. Can be repeated up to ${maxRepeated} times.`,
		),
	match: z
		.enum(matches)
		.default('text')
		.describe(
			'Comparison of texts: `text` (default) for case-insensitive substrings; `pattern` to also accept `/regex/flags` (RE2 syntax; flags i, m, s, u); `exact` like `pattern`, but texts must equal the whole value (except for `contains` and `link`).',
		),
	after: cursorField
		.optional()
		.describe(
			'Only messages newer than the message with this id, or received at or after this time (ISO 8601; a date means 0:00 UTC).',
		),
});

export type MessageFilter = Query<typeof messageFilterSchema>;

const listParameters = {
	...messageFilterSchema.shape,
	before: messageIdField
		.optional()
		.describe('Only messages older than the message with this id, even if that message was deleted.'),
	fields: z
		.enum(rowFields)
		.optional()
		.describe(
			'Return only a summary of each message, or a summary with its envelope (default: whole messages without `headers`). Faster, because no mail is parsed.',
		),
};

/** Query of a list of messages. */
export const listMessagesSchema = z.strictObject({...listParameters, ...pageParameters, wait: waitParameter});

export type ListMessages = Query<typeof listMessagesSchema>;

/** Query of the list of messages of all inboxes. */
export const listAllMessagesSchema = z.strictObject({...listParameters, limit: pageParameters.limit});

/** Query of the near misses of a filter. */
export const listMissesSchema = z.strictObject({
	...messageFilterSchema.shape,
	since: z.iso
		.datetime({offset: true})
		.optional()
		.describe('Only rejected mail and fault hits of this time (ISO 8601) or later.'),
	evicted_after: countParameter(0, Number.MAX_SAFE_INTEGER, 0).describe(
		'Value of `evicted` of the inbox when the wait started (default 0). Only later evictions are counted.',
	),
	limit: pageParameters.limit,
});

/** Near miss: a message that failed a filter. */
const missSchema = responseObject('Miss', {
	message: messageSummarySchema,
	reasons: z.array(z.string()).describe('Sentences, one for each condition that failed.'),
});

export type MissBody = Body<typeof missSchema>;

/** Reasons why no message matches: near misses, refused mail and fault hits. */
export const missesSchema = responseObject('Misses', {
	misses: z.array(missSchema).describe('Near misses: messages that failed a condition, the nearest first.'),
	refusals: z.array(refusalSchema).describe('Rejected mail, the newest first.'),
	hits: z.array(faultHitSchema).describe('Fault hits, the newest first.'),
	evicted: amountField.describe('Number of messages that the inbox evicted, in total or since `evicted_after`.'),
});

export type MissesBody = Body<typeof missesSchema>;

/** Query of a single message. */
export const readMessageSchema = z.strictObject({
	link: patternField
		.optional()
		.describe(
			'Return only links whose address or text matches: a case-insensitive substring or `/regex/flags` (RE2 syntax).',
		),
});

/** Query of the deletion of all messages of an inbox. */
export const deleteMessagesSchema = z.strictObject({
	up_to: messageIdField.optional().describe('Id of the newest message to delete (default: all messages).'),
});

/** Address as it occurs in mail, also an unusual one. */
const addressField = z
	.string()
	.max(320, 'must be at most 320 characters long')
	.regex(/^[^\s\x00-\x1f\x7f-\x9f]*$/, 'must be an address');

const recipientsField = z.array(addressField).max(100, 'must be given at most 100 times');

const importTexts = {
	from: 'Envelope sender (default: the `From` header field); empty for a bounce.',
	to: 'Envelope recipients (default: the `To` and `Cc` header fields).',
};

/** Query of an import: the envelope. Fields that are left out are taken from the header of the mail. */
export const importMailSchema = z.strictObject({
	from: addressField.optional().describe(importTexts.from),
	to: repeated.pipe(recipientsField).optional().describe(`${importTexts.to} Can be repeated up to 100 times.`),
});

export type ImportMail = Query<typeof importMailSchema>;

const {mails: maxMails} = maxTogether;

/** Mails to import together. */
export const importMailsSchema = z.strictObject({
	sources: z
		.array(
			z
				.string()
				// At least one byte. The pattern is valid in the regular expressions of all languages with client generators.
				.regex(/^[A-Za-z0-9+/]{2,}={0,2}$/, 'must be a base64-encoded mail')
				.transform(text => Buffer.from(text, 'base64')),
		)
		.min(1, 'must have at least one mail')
		.max(maxMails, `must have at most ${maxMails} mails`)
		.describe(`Sources of the mails in base64, at most ${maxMails}.`),
	from: addressField.optional().describe(importTexts.from),
	to: recipientsField.optional().describe(importTexts.to),
});

export type ImportMails = Input<typeof importMailsSchema>;

export const importedMailsSchema = z.array(messageSummarySchema);

/** Message that an import would create, with warnings. */
export const importCheckSchema = messageSchema
	.pick({
		from: true,
		from_name: true,
		to: true,
		subject: true,
		date: true,
		message_id: true,
		size: true,
		envelope: true,
		warnings: true,
	})
	.meta({id: 'ImportCheck'});

export type ImportCheckBody = Body<typeof importCheckSchema>;

/** Query of the sources of several messages. */
export const readSourcesSchema = z.strictObject({
	id: repeated
		.pipe(z.array(messageIdField).max(maxMails, `must be given at most ${maxMails} times`))
		.optional()
		.describe(`Id of a message. Can be repeated up to ${maxMails} times.`),
});

/** Source of a message. */
const messageSourceSchema = responseObject('MessageSource', {
	id: messageSchema.shape.id,
	source: z.string().describe('Source of the message in base64.'),
});

export type MessageSourceBody = Body<typeof messageSourceSchema>;

export const messageSourcesSchema = z.array(messageSourceSchema);

/** Sending API request that created a message. */
export const messageRequestSchema = responseObject('MessageRequest', {
	provider: z.string().describe('Provider whose API was used, such as `resend`.'),
	method: z.string().describe('HTTP method.'),
	path: z.string().describe('Path with query.'),
	headers: z
		.record(z.string(), z.string())
		.describe('Header fields by lower-case name, without credentials and signatures.'),
	body: nullableText.describe(
		'Request body; null if it is not stored because it is very large or its mails were delivered to inboxes of different users.',
	),
	encoding: z.literal('base64').describe('Present if `body` is in base64 because it is not UTF-8 text.').optional(),
	size: amountField.describe('Size of the request body in bytes.'),
	data: z.record(z.string(), z.unknown()).nullable().describe('Values for the template of the mail; null for none.'),
});

export type MessageRequestBody = Body<typeof messageRequestSchema>;

/** Link to a page that shows one message. */
export const previewSchema = responseObject('Preview', {
	url: z.string().describe('Link to a page that shows the message. Anyone who has it can read the message.'),
	expires_at: timeField.describe('Time when the link expires.'),
});

export type PreviewBody = Body<typeof previewSchema>;
