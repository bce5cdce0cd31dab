import {z} from 'zod';
import {countField, pageFields} from './fields.js';

/** Seconds a list may be held open. */
export const maxWait = 60;

/** Header fields that one list may ask for. */
const mostHeaders = 10;

const filterFields = {
	/** In the subject; always a substring without case. */
	q: z.string().optional(),
	subject: z.string().optional(),
	/** In the sender's address. */
	from: z.string().optional(),
	/** In the recipient's address. */
	to: z.string().optional(),
	/** In the text or the HTML. */
	contains: z.string().optional(),
	/** `Name: value`, in a header field of that name; may be given several times. */
	header: z
		.union([z.string(), z.array(z.string())])
		.transform(given => [given].flat())
		.refine(fields => fields.length <= mostHeaders, `must be given at most ${mostHeaders} times`)
		.refine(fields => fields.every(field => /^\s*[^:\s][^:]*:/.test(field)), 'must be written as "Name: value"')
		.optional(),
	/**
	 * How all but `q` are read: `text` is a substring without case; with `pattern`, `/regex/flags` is a regular expression
	 * (RE2 syntax; flags i, m, s, u) and all else a substring; with `exact` they must be the whole value, `contains` excepted.
	 */
	match: z.enum(['text', 'pattern', 'exact']).default('text'),
	/** Newer than the message with this id, or received at this time or later. */
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

export type AttachmentBody = {
	readonly id: string;
	readonly filename: string;
	readonly content_type: string;
	readonly size: number;
	readonly content_id: string | null;
	readonly disposition: string | null;
};

/** A row of the list: a whole message, without its headers. */
export type MessageBody = {
	readonly id: string;
	readonly inbox_id: string;
	readonly from: string;
	readonly to: string;
	readonly cc: readonly string[];
	readonly reply_to: readonly string[];
	readonly subject: string;
	readonly text: string;
	readonly html: string;
	readonly size: number;
	readonly attachments: readonly AttachmentBody[];
	readonly message_id: string;
	readonly envelope: {readonly from: string; readonly to: readonly string[]};
	/** What could not be read of a damaged mail, in sentences. */
	readonly warnings: readonly string[];
	readonly received_at: string;
};

/** What a list shows of a message. */
export type MessageSummaryBody = Pick<
	MessageBody,
	'id' | 'inbox_id' | 'from' | 'to' | 'subject' | 'size' | 'received_at'
>;

/** A message that does not satisfy a filter, and why: a sentence for each thing that is wrong. */
export type MissBody = {readonly message: MessageSummaryBody; readonly reasons: readonly string[]};

/** Where a browser finds one message, until the link expires; whoever has the link can read the message. */
export type PreviewBody = {readonly url: string; readonly expires_at: string};

/** The single read. */
export type FullMessageBody = MessageBody & {
	readonly headers: ReadonlyArray<{readonly name: string; readonly value: string}>;
	/** One-time codes, the best candidate first. */
	readonly codes: readonly string[];
	/** Links to click, the best candidate first, with the text they stand behind. */
	readonly links: ReadonlyArray<{readonly url: string; readonly text: string}>;
};
