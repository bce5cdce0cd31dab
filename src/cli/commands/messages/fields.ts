import type {FullMessageBody, MessageBody} from '../../../contract/messages.js';
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
