import {z} from 'zod';
import {countField, pageFields} from './fields.js';

/** Seconds a list may be held open. */
export const maxWait = 60;

export const listMessages = z.strictObject({
	q: z.string().optional(),
	from: z.string().optional(),
	to: z.string().optional(),
	after: z.uuid('must be the id of a message').optional(),
	...pageFields,
	wait: countField(0, maxWait, 0),
});
/** The query of a list, as a caller gives it: numbers are written in digits. */
export type ListMessages = z.input<typeof listMessages>;

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

/** The single read. */
export type FullMessageBody = MessageBody & {
	readonly headers: ReadonlyArray<{readonly name: string; readonly value: string}>;
	/** One-time codes, the best candidate first. */
	readonly codes: readonly string[];
	/** Links to click, the best candidate first, with the text they stand behind. */
	readonly links: ReadonlyArray<{readonly url: string; readonly text: string}>;
};
