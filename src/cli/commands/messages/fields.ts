import type {FullMessageBody, MessageBody} from '../../../contract/messages.js';
import {sanitizeLine, sanitizeText} from '../../../lib/sanitize.js';
import {Exit, exitCodes} from '../../exit.js';
import type {FieldsOf} from '../../options.js';

export const messageFields: FieldsOf<MessageBody> = {
	id: true,
	inbox_id: true,
	from: true,
	to: true,
	cc: true,
	reply_to: true,
	subject: true,
	text: true,
	html: true,
	size: true,
	attachments: true,
	message_id: true,
	envelope: true,
	warnings: true,
	received_at: true,
};

/** Those of the single read. */
export const fullMessageFields: FieldsOf<FullMessageBody> = {...messageFields, headers: true, codes: true, links: true};

/** What `--field` can print. */
export const bareFields = [
	'code',
	'link',
	'subject',
	'text',
	'html',
	'id',
	'from',
	'to',
	'cc',
	'reply_to',
	'message_id',
	'size',
	'received_at',
] as const;

export type BareField = (typeof bareFields)[number];

/**
 * One value of a message, safe to print; several of one field are lines. Throws `Exit` for a code or link that the
 * message does not have.
 */
export function bareValue(message: FullMessageBody, field: BareField): string {
	const value = field === 'code' ? message.codes[0] : field === 'link' ? message.links[0]?.url : message[field];
	if (value === undefined) {
		throw new Exit(
			exitCodes.conditionFailed,
			`no_${field}`,
			`The message "${sanitizeLine(message.subject)}" has no ${field}.`,
			{
				hint: `Read it: tinbox messages show ${message.inbox_id} ${message.id}`,
			},
		);
	}

	const lines = typeof value === 'object' ? value : [String(value)];
	return lines.map(field === 'text' || field === 'html' ? sanitizeText : sanitizeLine).join('\n');
}
