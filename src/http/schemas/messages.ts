import {z} from 'zod';
import {matches, maxWait} from '../../contract/messages.js';
import {countField, pageFields} from './fields.js';

/** Header fields that one list may ask for. */
const maxHeaders = 10;

/** What they mean is said at `MessageFilter`. */
const filterFields = {
	q: z.string().optional(),
	subject: z.string().optional(),
	from: z.string().optional(),
	to: z.string().optional(),
	contains: z.string().optional(),
	header: z
		.union([z.string(), z.array(z.string())])
		.transform(given => [given].flat())
		.refine(fields => fields.length <= maxHeaders, `must be given at most ${maxHeaders} times`)
		.refine(fields => fields.every(field => /^\s*[^:\s][^:]*:/.test(field)), 'must be written as "Name: value"')
		.optional(),
	match: z.enum(matches).default('text'),
	after: z
		.union(
			[z.uuid(), z.iso.datetime({offset: true})],
			'must be the id of a message or a time such as 2026-01-31T12:00:00Z',
		)
		.optional(),
};

export const listMessages = z.strictObject({...filterFields, ...pageFields, wait: countField(0, maxWait, 0)});

export const listMisses = z.strictObject({...filterFields, limit: pageFields.limit});

/** `link` is a substring without case or a `/regex/flags`: only links whose address or text fits are shown. */
export const readMessage = z.strictObject({link: z.string().optional()});
