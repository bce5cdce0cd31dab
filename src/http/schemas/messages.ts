import {z} from 'zod';
import {findings, matches, maxTogether, maxWait, rowFields} from '../../contract/messages.js';
import {maxPatternLength} from '../../domain/pattern.js';
import {countField, pageFields} from './fields.js';

/** How often one list may ask for header fields, and for links. */
const maxGiven = 10;

/** What is looked for. */
const wanted = z.string().max(maxPatternLength, `must have at most ${maxPatternLength} characters`);

/** A parameter that may be given several times. */
const texts = z.union([z.string(), z.array(z.string())]).transform(given => [given].flat());

const many = `must be given at most ${maxGiven} times`;

/** One pattern of all that it can be, in place of alternatives: those are a type of their own to clients. */
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

/** What they mean is said at `MessageFilter`. */
const filterFields = {
	q: wanted.optional(),
	subject: wanted.optional(),
	from: wanted.optional(),
	to: wanted.optional(),
	tls: z
		.enum(['true', 'false'])
		.transform(text => text === 'true')
		.pipe(z.boolean())
		.optional(),
	smtp_user: z.string().optional(),
	contains: wanted.optional(),
	header: texts
		.pipe(z.array(z.string().regex(/^\s*[^:\s][^:]*:/, 'must be written as "Name: value"')).max(maxGiven, many))
		.optional(),
	has: texts.pipe(z.array(z.enum(findings, 'must be "code" or "link"')).max(maxGiven, many)).optional(),
	link: texts.pipe(z.array(wanted).max(maxGiven, many)).optional(),
	match: z.enum(matches).default('text'),
	after: cursor.optional(),
};

const listFields = {
	...filterFields,
	before: z.uuid('must be the id of a message').optional(),
	/** What a row has: all but its headers, or no more than a summary, with or without its envelope. */
	fields: z.enum(rowFields).optional(),
};

export const listMessages = z.strictObject({...listFields, ...pageFields, wait: countField(0, maxWait, 0)});

export const listAllMessages = z.strictObject({...listFields, limit: pageFields.limit});

/** `since`: only refusals of this time or later. */
export const listMisses = z.strictObject({
	...filterFields,
	since: z.iso.datetime({offset: true}).optional(),
	evicted_after: countField(0, Number.MAX_SAFE_INTEGER, 0).describe(
		'The `evicted` of the inbox when the wait began: only what was evicted since is counted.',
	),
	limit: pageFields.limit,
});

export const deleteMessages = z.strictObject({up_to: z.uuid('must be the id of a message').optional()});

/** `link` is a substring without case or a `/regex/flags`: only links whose address or text fits are shown. */
export const readMessage = z.strictObject({link: wanted.optional()});

/** As mail has addresses: odd ones, too. */
const addressText = z
	.string()
	.max(320, 'must be at most 320 characters long')
	.regex(/^[^\s\x00-\x1f\x7f-\x9f]*$/, 'must be an address');

const recipients = z.array(addressText).max(100, 'must be given at most 100 times');

/** The envelope of a mail that is imported; `from` is empty for a bounce. */
export const importMail = z.strictObject({
	from: addressText.optional(),
	to: texts.pipe(recipients).optional(),
});

/** A byte or more; the pattern is one that all languages read. */
const mailInBase64 = z
	.string()
	.regex(/^[A-Za-z0-9+/]{2,}={0,2}$/, 'must be a mail in base64')
	.transform(text => Buffer.from(text, 'base64'));

const {mails: maxMails} = maxTogether;

/** The same for several mails. */
export const importMails = z.strictObject({
	sources: z.array(mailInBase64).min(1, 'must have a mail').max(maxMails, `must have at most ${maxMails} mails`),
	from: addressText.optional(),
	to: recipients.optional(),
});

export const readSources = z.strictObject({
	id: texts
		.pipe(z.array(z.uuid('must be the id of a message')).max(maxMails, `must be given at most ${maxMails} times`))
		.optional(),
});
