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
		id: z.string(),
		filename: z.string(),
		content_type: z.string(),
		size: amountField,
		content_id: z.string().nullable(),
		disposition: z.string().nullable(),
	}),
);

const mailboxSchema = bodySchema<MailboxBody>()(
	'Mailbox',
	z.object({name: z.string().nullable(), address: z.string()}),
);

const dsnSchema = bodySchema<DsnBody>()(
	'Dsn',
	z.object({
		ret: z.enum(['FULL', 'HDRS']).describe('How much of the mail a notification is to hold.').optional(),
		envid: z.string().describe('How the sender calls this transaction.').optional(),
		recipients: z
			.record(
				z.string(),
				z.object({notify: z.array(z.string()).optional(), orcpt: z.string().optional()}).meta({id: 'DsnRecipient'}),
			)
			.describe('By the address as in the envelope.')
			.optional(),
	}),
);

const envelopeSchema = bodySchema<EnvelopeBody>()(
	'Envelope',
	z.object({
		from: z.string(),
		to: z.array(z.string()),
		dsn: dsnSchema.describe('What the sender wants to be told of the delivery (RFC 3461).').optional(),
	}),
);

export const messageSchema = bodySchema<MessageBody>()(
	'Message',
	z.object({
		id: z.string(),
		inbox_id: z.string(),
		from: z.string().describe('The address of the author, else that of the envelope.'),
		from_name: z.string().nullable(),
		to: z.string().describe('The recipient of the envelope that led to the inbox.'),
		cc: z.array(z.string()),
		reply_to: z.array(z.string()),
		recipients: z
			.object({to: z.array(mailboxSchema), cc: z.array(mailboxSchema), reply_to: z.array(mailboxSchema)})
			.meta({id: 'Recipients'})
			.describe('Whom the header names.'),
		date: timeField.nullable().describe('When the mail says it was written; null when it does not say so.'),
		subject: z.string(),
		text: z.string().describe('Of a mail that has only HTML, its HTML as text.'),
		html: z.string(),
		size: amountField.describe('Bytes of the source.'),
		attachments: z.array(attachmentSchema),
		codes: z.array(z.string()).describe('One-time codes, the best candidate first.'),
		links: z
			.array(z.object({url: z.string(), text: z.string()}).meta({id: 'Link'}))
			.describe('Links to click, the best candidate first, with the text they stand behind.'),
		message_id: z.string().describe('The Message-ID of its header.'),
		envelope: envelopeSchema.describe('Who sent it and for whom, as said in MAIL FROM and RCPT TO.'),
		session: sessionSchema
			.nullable()
			.describe('How it came; null for mail that was imported, or that the daemon itself made.'),
		warnings: z.array(z.string()).describe('What could not be read of a damaged mail, in sentences.'),
		received_at: timeField,
	}),
);

export const fullMessageSchema = bodySchema<FullMessageBody>()(
	'FullMessage',
	messageSchema.extend({
		headers: z
			.array(z.object({name: z.string(), value: z.string()}).meta({id: 'HeaderField'}))
			.describe('In the order of the mail.'),
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

/** A whole message, or what `fields` asks for. Clients could not tell alternatives apart, where one has all that another has. */
const messageRowSchema = bodySchema<MessageSummaryBody & Partial<MessageBody>>()(
	'MessageRow',
	messageSchema.partial().extend(messageSummarySchema.shape).describe('With `fields`, only those that it asks for.'),
);

export const messageListSchema = z.array(messageRowSchema);

export const importedMailsSchema = z.array(messageSummarySchema);

export const messageSourcesSchema = z.array(
	bodySchema<MessageSourceBody>()(
		'MessageSource',
		z.object({id: messageSchema.shape.id, source: z.string().describe('The mail, byte for byte, in base64.')}),
	),
);

const missSchema = bodySchema<MissBody>()(
	'Miss',
	z.object({message: messageSummarySchema, reasons: z.array(z.string()).describe('A sentence for each thing.')}),
);

export const missesSchema = bodySchema<MissesBody>()(
	'Misses',
	z.object({
		misses: z.array(missSchema).describe('What came and does not fit, the newest first.'),
		refusals: z.array(refusalSchema).describe('What was refused.'),
		hits: z.array(faultHitSchema).describe('What faults did.'),
		evicted: amountField.describe('How many messages the inbox evicted: ever, or since what `evicted_after` says.'),
	}),
);

export const messageRequestSchema = bodySchema<MessageRequestBody>()(
	'MessageRequest',
	z.object({
		provider: z.string().describe('Such as `resend`.'),
		method: z.string(),
		path: z.string().describe('With its query.'),
		headers: z.record(z.string(), z.string()).describe('By their lower-case names, without keys and signatures.'),
		body: z.string().nullable().describe('Null when it is not kept.'),
		encoding: z.literal('base64').describe('Of the body: it is no text in UTF-8.').optional(),
		size: amountField.describe('Bytes of the body as it came.'),
		data: z.record(z.string(), z.unknown()).nullable().describe('What a template is to be filled with.'),
	}),
);

export const previewSchema = bodySchema<PreviewBody>()(
	'Preview',
	z.object({url: z.string().describe('Whoever has it can read the message.'), expires_at: timeField}),
);
