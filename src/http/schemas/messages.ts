import {z} from 'zod';
import {findings, matches, maxTogether, rowFields} from '../../contract/constants.js';
import {maxPatternLength} from '../../domain/mail/pattern.js';
import {countField, pageFields, waitField} from './fields.js';

/** Maximum number of `header`, `has` and `link` conditions of one list, each. */
const maxGiven = 10;

const wanted = z.string().max(maxPatternLength, `must be at most ${maxPatternLength} characters long`);

/** Parameter that can be repeated. */
const texts = z.union([z.string(), z.array(z.string())]).transform(given => [given].flat());

const many = `must be given at most ${maxGiven} times`;

/** Pattern of an id or a time. Generated clients would make a separate type of alternatives. */
const cursorPattern = new RegExp(
	[
		z.regexes.uuid(),
		z.regexes.date,
		z.regexes.datetime({offset: true}),
		// A precision of -1 is that of minutes.
		z.regexes.datetime({offset: true, precision: -1}),
	]
		.map(({source}) => source)
		.join('|'),
);

const cursor = z
	.string()
	.regex(cursorPattern, 'must be the id of a message, a time such as 2026-01-31T12:00Z, or a date')
	.meta({id: 'After'});

const filterFields = {
	q: wanted.optional().describe('Text in the subject; always a case-insensitive substring.'),
	subject: wanted.optional().describe('Text in the subject, compared according to `match`.'),
	from: wanted.optional().describe('Text in the address or name of the sender, compared according to `match`.'),
	to: wanted
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
	contains: wanted.optional().describe('Text in the text or the HTML of the mail, compared according to `match`.'),
	header: texts
		.pipe(z.array(z.string().regex(/^\s*[^:\s][^:]*:/, 'must be written as "Name: value"')).max(maxGiven, many))
		.optional()
		.describe(
			`Header field as \`Name: value\`, the value compared according to \`match\`; \`Name:\` only requires the field. Can be repeated up to ${maxGiven} times.`,
		),
	has: texts
		.pipe(z.array(z.enum(findings, 'must be "code" or "link"')).max(maxGiven, many))
		.optional()
		.describe('Only messages that contain a one-time code (`code`) or a link (`link`). Can be repeated.'),
	link: texts
		.pipe(z.array(wanted).max(maxGiven, many))
		.optional()
		.describe(
			`Text in the address or the text of a link, compared according to \`match\`. Can be repeated up to ${maxGiven} times.`,
		),
	match: z
		.enum(matches)
		.default('text')
		.describe(
			'Comparison of texts: `text` (default) for case-insensitive substrings; `pattern` to also accept `/regex/flags` (RE2 syntax; flags i, m, s, u); `exact` like `pattern`, but texts must equal the whole value (except for `contains` and `link`).',
		),
	after: cursor
		.optional()
		.describe(
			'Only messages newer than the message with this id, or received at or after this time (ISO 8601; a date means 0:00 UTC).',
		),
};

const listFields = {
	...filterFields,
	before: z
		.uuid('must be the id of a message')
		.optional()
		.describe('Only messages older than the message with this id, even if that message was deleted.'),
	fields: z
		.enum(rowFields)
		.optional()
		.describe(
			'Return only a summary of each message, or a summary with its envelope (default: whole messages without `headers`). Faster, because no mail is parsed.',
		),
};

export const listMessages = z.strictObject({...listFields, ...pageFields, wait: waitField});

export const listAllMessages = z.strictObject({...listFields, limit: pageFields.limit});

export const listMisses = z.strictObject({
	...filterFields,
	since: z.iso
		.datetime({offset: true})
		.optional()
		.describe('Only rejected mail and fault hits of this time (ISO 8601) or later.'),
	evicted_after: countField(0, Number.MAX_SAFE_INTEGER, 0).describe(
		'Value of `evicted` of the inbox when the wait started (default 0). Only later evictions are counted.',
	),
	limit: pageFields.limit,
});

export const deleteMessages = z.strictObject({
	up_to: z
		.uuid('must be the id of a message')
		.optional()
		.describe('Id of the newest message to delete (default: all messages).'),
});

export const readMessage = z.strictObject({
	link: wanted
		.optional()
		.describe(
			'Return only links whose address or text matches: a case-insensitive substring or `/regex/flags` (RE2 syntax).',
		),
});

/** Address as it occurs in mail, also an unusual one. */
const addressText = z
	.string()
	.max(320, 'must be at most 320 characters long')
	.regex(/^[^\s\x00-\x1f\x7f-\x9f]*$/, 'must be an address');

const importTexts = {
	from: 'Envelope sender (default: the `From` header field); empty for a bounce.',
	to: 'Envelope recipients (default: the `To` and `Cc` header fields).',
};

const recipients = z.array(addressText).max(100, 'must be given at most 100 times');

/** Envelope of an imported mail. */
export const importMail = z.strictObject({
	from: addressText.optional().describe(importTexts.from),
	to: texts.pipe(recipients).optional().describe(`${importTexts.to} Can be repeated up to 100 times.`),
});

/** At least one byte; all languages support this pattern. */
const mailInBase64 = z
	.string()
	.regex(/^[A-Za-z0-9+/]{2,}={0,2}$/, 'must be a base64-encoded mail')
	.transform(text => Buffer.from(text, 'base64'));

const {mails: maxMails} = maxTogether;

export const importMails = z.strictObject({
	sources: z
		.array(mailInBase64)
		.min(1, 'must have at least one mail')
		.max(maxMails, `must have at most ${maxMails} mails`)
		.describe(`Sources of the mails in base64, at most ${maxMails}.`),
	from: addressText.optional().describe(importTexts.from),
	to: recipients.optional().describe(importTexts.to),
});

export const readSources = z.strictObject({
	id: texts
		.pipe(z.array(z.uuid('must be the id of a message')).max(maxMails, `must be given at most ${maxMails} times`))
		.optional()
		.describe(`Id of a message. Can be repeated up to ${maxMails} times.`),
});
