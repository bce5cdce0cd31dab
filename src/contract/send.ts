import {z} from 'zod';
import {type Body, responseObject} from './common.js';

/** Mail to send with `POST /v1/send`. An address is `ann@example.com` or `Ann <ann@example.com>`. */
export type MailToSend = {
	readonly from: string;
	readonly to?: string | readonly string[] | undefined;
	readonly cc?: string | readonly string[] | undefined;
	/** Recipients that are only in the envelope. */
	readonly bcc?: string | readonly string[] | undefined;
	readonly reply_to?: string | readonly string[] | undefined;
	readonly subject?: string | undefined;
	readonly text?: string | undefined;
	readonly html?: string | undefined;
	readonly attachments?: readonly AttachmentToSend[] | undefined;
	/** Additional header fields by name. */
	readonly headers?: Readonly<Record<string, string>> | undefined;
	/** Tags, stored with the message in `session.request`. */
	readonly tags?: readonly string[] | undefined;
	/** Custom values by name, stored with the message in `session.request`. */
	readonly metadata?: Readonly<Record<string, string>> | undefined;
	/** Template that fills in the subject and bodies that are left out. */
	readonly template?: {readonly id: string; readonly data?: Readonly<Record<string, unknown>> | undefined} | undefined;
};

/** Attachment of a mail to send. */
type AttachmentToSend = {
	readonly filename: string;
	/** Content in base64. */
	readonly content: string;
	/** Media type (default: guessed from the file name). */
	readonly content_type?: string | undefined;
	/** Content-ID that the HTML refers to as `cid:`; makes the attachment inline. */
	readonly content_id?: string | undefined;
};

/** Response to a sent mail. */
export const sentMailSchema = responseObject('SentMail', {
	id: z.string().describe('Id of the sent mail.'),
	message_ids: z.array(z.string()).describe('Ids of the stored messages; empty if no recipient has an inbox.'),
});

export type SendMailBody = Body<typeof sentMailSchema>;
