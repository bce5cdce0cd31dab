import type {
	AttachmentBody,
	FullMessageBody,
	ImportCheckBody,
	MessageBody,
	MessageEnvelopeBody,
	MessageRequestBody,
	MessageSourceBody,
	MessageSummaryBody,
	MissBody,
} from '../../contract/messages.js';
import {type Attachment, type Message, readMailbox, senderOf, warningsOf} from '../../domain/mail/message.js';
import type {ReadMessage} from '../../services/messages/contents.js';
import type {MessageSource} from '../../services/messages/messages.js';
import type {Miss} from '../../services/messages/search.js';
import type {StoredRequest} from '../../services/messages/source.js';

export function messageBody({message, content}: ReadMessage): MessageBody {
	const {summary} = message;
	const cc = summary.cc.map(readMailbox);
	const replyTo = summary.replyTo.map(readMailbox);
	return {
		id: message.id,
		inbox_id: message.inboxId,
		from: senderOf(message),
		from_name: summary.fromName ?? null,
		to: message.to,
		cc: cc.map(({address}) => address),
		reply_to: replyTo.map(({address}) => address),
		recipients: {to: summary.to.map(readMailbox), cc, reply_to: replyTo},
		date: summary.date ?? null,
		subject: summary.subject,
		text: content.text,
		html: content.html,
		size: message.size,
		attachments: content.attachments.map(attachmentBody),
		codes: content.codes,
		links: content.links,
		message_id: summary.messageId,
		envelope: message.envelope,
		session: message.session,
		warnings: warningsOf(message, content),
		received_at: message.receivedAt,
	};
}

export function fullMessageBody(read: ReadMessage): FullMessageBody {
	return {...messageBody(read), headers: read.content.headers};
}

export function messageSummaryBody(message: Message): MessageSummaryBody {
	return {
		id: message.id,
		inbox_id: message.inboxId,
		from: senderOf(message),
		from_name: message.summary.fromName ?? null,
		to: message.to,
		subject: message.summary.subject,
		size: message.size,
		received_at: message.receivedAt,
	};
}

export function messageEnvelopeBody(message: Message): MessageEnvelopeBody {
	return {...messageSummaryBody(message), envelope: message.envelope};
}

export function importCheckBody(read: ReadMessage): ImportCheckBody {
	const {from, from_name, to, subject, date, message_id, size, envelope, warnings} = messageBody(read);
	return {from, from_name, to, subject, date, message_id, size, envelope, warnings};
}

export function messageRequestBody({encoding, bodySize, data, ...request}: StoredRequest): MessageRequestBody {
	return {...request, ...(encoding === 'base64' && {encoding}), size: bodySize, data};
}

export function messageSourceBody({id, source}: MessageSource): MessageSourceBody {
	return {id, source: source.toString('base64')};
}

export function missBody({message, reasons}: Miss): MissBody {
	return {message: messageSummaryBody(message), reasons};
}

function attachmentBody({id, filename, contentType, size, contentId, disposition}: Attachment): AttachmentBody {
	return {id, filename, content_type: contentType, size, content_id: contentId, disposition};
}
