import {z} from 'zod';
import type {
	AttachmentBody,
	DsnBody,
	EnvelopeBody,
	FullMessageBody,
	ImportCheckBody,
	MailboxBody,
	MessageBody,
	MessageRequestBody,
	MessageSourceBody,
	MessageSummaryBody,
	MissBody,
	MissesBody,
	PreviewBody,
} from '../../../contract/messages.js';
import {bodySchema} from '../body-schema.js';
import {faultHitSchema} from './faults.js';
import {amountField, timeField} from './fields.js';
import {refusalSchema} from './refusals.js';
import {sessionSchema} from './sessions.js';

const attachmentSchema = bodySchema<AttachmentBody>()(
	'Attachment',
	z.object({
		id: z.string().describe('Id of the attachment, unique within the message.'),
		filename: z.string().describe('File name; empty if the mail gives none.'),
		content_type: z
			.string()
			.describe(
				'Media type given in the mail, or guessed from the file name if the mail says `application/octet-stream`.',
			),
		size: amountField.describe('Size of the decoded content in bytes.'),
		content_id: z.string().nullable().describe('Content-ID that the HTML refers to as `cid:`; null for none.'),
		disposition: z.string().nullable().describe('Content-Disposition, `attachment` or `inline`; null for none.'),
	}),
);

const mailboxSchema = bodySchema<MailboxBody>()(
	'Mailbox',
	z.object({
		name: z.string().nullable().describe('Display name; null for none.'),
		address: z.string().describe('Email address.'),
	}),
);

const dsnSchema = bodySchema<DsnBody>()(
	'Dsn',
	z.object({
		ret: z.enum(['FULL', 'HDRS']).describe('Part of the mail that a notification returns (`RET`).').optional(),
		envid: z.string().describe('Envelope id given by the sender (`ENVID`).').optional(),
		recipients: z
			.record(
				z.string(),
				z
					.object({
						notify: z.array(z.string()).describe('Requested notifications (`NOTIFY`).').optional(),
						orcpt: z.string().describe('Original recipient (`ORCPT`).').optional(),
					})
					.meta({id: 'DsnRecipient'}),
			)
			.describe('Parameters of the recipients that have any, by envelope address.')
			.optional(),
	}),
);

const envelopeSchema = bodySchema<EnvelopeBody>()(
	'Envelope',
	z.object({
		from: z.string().describe('Envelope sender (`MAIL FROM`); empty for a bounce.'),
		to: z.array(z.string()).describe('Envelope recipients (`RCPT TO`).'),
		dsn: dsnSchema
			.describe('Delivery status notifications that the sender requested (RFC 3461); absent for none.')
			.optional(),
	}),
);

export const messageSchema = bodySchema<MessageBody>()(
	'Message',
	z.object({
		id: z.string().describe('Id of the message.'),
		inbox_id: z.string().describe('Id of the inbox that stores the message.'),
		from: z.string().describe('Address in the `From` header field, or the envelope sender if there is none.'),
		from_name: z.string().nullable().describe('Name in the `From` header field; null for none.'),
		to: z.string().describe('Envelope recipient that led to the inbox.'),
		cc: z.array(z.string()).describe('Addresses in the `Cc` header field.'),
		reply_to: z.array(z.string()).describe('Addresses in the `Reply-To` header field.'),
		recipients: z
			.object({
				to: z.array(mailboxSchema).describe('Mailboxes in the `To` header field.'),
				cc: z.array(mailboxSchema).describe('Mailboxes in the `Cc` header field.'),
				reply_to: z.array(mailboxSchema).describe('Mailboxes in the `Reply-To` header field.'),
			})
			.meta({id: 'Recipients'})
			.describe('Names and addresses in the header fields.'),
		date: timeField.nullable().describe('Time in the `Date` header field; null if it is missing or invalid.'),
		subject: z.string().describe('Subject; empty if there is none.'),
		text: z.string().describe('Plain text; for a mail that has only HTML, its HTML as text. Empty if there is none.'),
		html: z.string().describe('HTML; empty if there is none.'),
		size: amountField.describe('Size of the source in bytes.'),
		attachments: z.array(attachmentSchema).describe('Attachments, without their content.'),
		codes: z.array(z.string()).describe('One-time codes found in the mail, the best candidate first.'),
		links: z
			.array(
				z
					.object({
						url: z.string().describe('Address of the link.'),
						text: z.string().describe('Text of the link.'),
					})
					.meta({id: 'Link'}),
			)
			.describe('Links found in the mail, the best candidate first.'),
		message_id: z.string().describe('Message-ID header field without angle brackets; empty if there is none.'),
		envelope: envelopeSchema.describe('Sender and recipients of the SMTP envelope.'),
		session: sessionSchema
			.nullable()
			.describe('Session that delivered the mail; null for mail that was imported or that the daemon generated.'),
		warnings: z.array(z.string()).describe('Sentences about parts of a damaged mail that could not be read.'),
		received_at: timeField.describe('Time when the message was stored.'),
	}),
);

export const fullMessageSchema = bodySchema<FullMessageBody>()(
	'FullMessage',
	messageSchema.extend({
		headers: z
			.array(
				z
					.object({
						name: z.string().describe('Name of the field.'),
						value: z.string().describe('Decoded value of the field.'),
					})
					.meta({id: 'HeaderField'}),
			)
			.describe('Header fields in the order of the mail.'),
	}),
);

export const messageSummarySchema = bodySchema<MessageSummaryBody>()(
	'MessageSummary',
	messageSchema.pick({
		id: true,
		inbox_id: true,
		from: true,
		from_name: true,
		to: true,
		subject: true,
		size: true,
		received_at: true,
	}),
);

export const importCheckSchema = bodySchema<ImportCheckBody>()(
	'ImportCheck',
	messageSchema.pick({
		from: true,
		from_name: true,
		to: true,
		subject: true,
		date: true,
		message_id: true,
		size: true,
		envelope: true,
		warnings: true,
	}),
);

/** Whole message, or the subset that `fields` selects; clients could not distinguish a union of them. */
const messageRowSchema = bodySchema<MessageSummaryBody & Partial<MessageBody>>()(
	'MessageRow',
	messageSchema
		.partial()
		.extend(messageSummarySchema.shape)
		.describe('Message without headers; with `fields`, only the requested subset.'),
);

export const messageListSchema = z.array(messageRowSchema);

export const importedMailsSchema = z.array(messageSummarySchema);

export const messageSourcesSchema = z.array(
	bodySchema<MessageSourceBody>()(
		'MessageSource',
		z.object({id: messageSchema.shape.id, source: z.string().describe('Source of the message in base64.')}),
	),
);

const missSchema = bodySchema<MissBody>()(
	'Miss',
	z.object({
		message: messageSummarySchema,
		reasons: z.array(z.string()).describe('Sentences, one for each condition that failed.'),
	}),
);

export const missesSchema = bodySchema<MissesBody>()(
	'Misses',
	z.object({
		misses: z.array(missSchema).describe('Near misses: messages that failed a condition, the nearest first.'),
		refusals: z.array(refusalSchema).describe('Rejected mail, the newest first.'),
		hits: z.array(faultHitSchema).describe('Fault hits, the newest first.'),
		evicted: amountField.describe('Number of messages that the inbox evicted, in total or since `evicted_after`.'),
	}),
);

export const messageRequestSchema = bodySchema<MessageRequestBody>()(
	'MessageRequest',
	z.object({
		provider: z.string().describe('Provider whose API was used, such as `resend`.'),
		method: z.string().describe('HTTP method.'),
		path: z.string().describe('Path with query.'),
		headers: z
			.record(z.string(), z.string())
			.describe('Header fields by lower-case name, without credentials and signatures.'),
		body: z
			.string()
			.nullable()
			.describe(
				'Request body; null if it is not stored because it is very large or its mails were delivered to inboxes of different users.',
			),
		encoding: z.literal('base64').describe('Present if `body` is in base64 because it is not UTF-8 text.').optional(),
		size: amountField.describe('Size of the request body in bytes.'),
		data: z.record(z.string(), z.unknown()).nullable().describe('Values for the template of the mail; null for none.'),
	}),
);

export const previewSchema = bodySchema<PreviewBody>()(
	'Preview',
	z.object({
		url: z.string().describe('Link to a page that shows the message. Anyone who has it can read the message.'),
		expires_at: timeField.describe('Time when the link expires.'),
	}),
);
