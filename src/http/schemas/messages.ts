import {z} from 'zod';
import {findings, matches, maxWait} from '../../contract/messages.js';
import {countField, pageFields} from './fields.js';

/** How often one list may ask for header fields, and for links. */
const maxGiven = 10;

/** A parameter that may be given several times. */
const texts = z
	.union([z.string(), z.array(z.string())])
	.transform(given => [given].flat())
	.refine(given => given.length <= maxGiven, `must be given at most ${maxGiven} times`);

/** What they mean is said at `MessageFilter`. */
const filterFields = {
	q: z.string().optional(),
	subject: z.string().optional(),
	from: z.string().optional(),
	to: z.string().optional(),
	tls: z
		.enum(['true', 'false'])
		.transform(text => text === 'true')
		.optional(),
	smtp_user: z.string().optional(),
	contains: z.string().optional(),
	header: texts
		.refine(fields => fields.every(field => /^\s*[^:\s][^:]*:/.test(field)), 'must be written as "Name: value"')
		.optional(),
	has: texts
		.refine(names => names.every(name => findings.some(known => known === name)), 'must be "code" or "link"')
		.transform(names => findings.filter(finding => names.includes(finding)))
		.optional(),
	link: texts.optional(),
	match: z.enum(matches).default('text'),
	after: z
		.union(
			// A precision of -1 is that of minutes.
			[z.uuid(), z.iso.date(), z.iso.datetime({offset: true}), z.iso.datetime({offset: true, precision: -1})],
			'must be the id of a message, a time such as 2026-01-31T12:00Z, or a date',
		)
		.optional(),
};

export const listMessages = z.strictObject({...filterFields, ...pageFields, wait: countField(0, maxWait, 0)});

/** `since`: only refusals of this time or later. */
export const listMisses = z.strictObject({
	...filterFields,
	since: z.iso.datetime({offset: true}).optional(),
	limit: pageFields.limit,
});

/** `link` is a substring without case or a `/regex/flags`: only links whose address or text fits are shown. */
export const readMessage = z.strictObject({link: z.string().optional()});
