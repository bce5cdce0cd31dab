import {z} from 'zod';
import {optional} from '../json.js';

// Fields of version 2 of the API (model of 2019-09-27). `null` counts as missing.

const text = z.string();
const name = text.min(1);
const printable = name.regex(/^[ -~]+$/);

function list<Schema extends z.ZodType>(schema: Schema) {
	return z
		.array(schema)
		.nullish()
		.transform(values => values ?? []);
}

/** Subject or body of a mail. */
export const sesContent = z.strictObject({Data: text, Charset: optional(text)});

const messageHeader = z.strictObject({
	Name: name.max(126).regex(/^[!-9;-@A-~]+$/),
	Value: name.max(995).regex(/^[ -~]*$/),
});

const headers = z
	.array(messageHeader)
	.max(15)
	.nullish()
	.transform(values => values ?? []);

const attachment = z.strictObject({
	RawContent: text,
	FileName: text.max(255),
	ContentDisposition: optional(z.enum(['ATTACHMENT', 'INLINE'])),
	ContentDescription: optional(text.max(1000)),
	ContentId: optional(printable.max(78)),
	ContentTransferEncoding: optional(z.enum(['BASE64', 'QUOTED_PRINTABLE', 'SEVEN_BIT'])),
	ContentType: optional(printable.max(78)),
});

const tag = z.strictObject({Name: text, Value: text});

const destination = z.strictObject({ToAddresses: list(text), CcAddresses: list(text), BccAddresses: list(text)});

const templateData = text.max(262_144);

const template = z.strictObject({
	TemplateName: optional(name),
	TemplateArn: optional(name),
	TemplateContent: optional(z.strictObject({Subject: optional(text), Text: optional(text), Html: optional(text)})),
	TemplateData: optional(templateData),
	Headers: headers,
	Attachments: list(attachment),
});

/** Fields that all requests share. */
const sending = {
	FromEmailAddress: optional(text),
	FromEmailAddressIdentityArn: optional(text),
	ReplyToAddresses: list(text),
	FeedbackForwardingEmailAddress: optional(text),
	FeedbackForwardingEmailAddressIdentityArn: optional(text),
	ConfigurationSetName: optional(text),
	EndpointId: optional(text),
	TenantName: optional(name),
};

export const sendEmailFields = z.strictObject({
	...sending,
	Destination: optional(destination),
	Content: z.strictObject({
		Simple: optional(
			z.strictObject({
				Subject: sesContent,
				Body: z.strictObject({Text: optional(sesContent), Html: optional(sesContent)}),
				Headers: headers,
				Attachments: list(attachment),
			}),
		),
		Raw: optional(z.strictObject({Data: text})),
		Template: optional(template),
	}),
	EmailTags: list(tag),
	ListManagementOptions: optional(z.strictObject({ContactListName: text, TopicName: optional(text)})),
});

export const sendBulkEmailFields = z.strictObject({
	...sending,
	DefaultEmailTags: list(tag),
	DefaultContent: z.strictObject({Template: optional(template)}),
	BulkEmailEntries: z.array(
		z.strictObject({
			Destination: destination,
			ReplacementTags: list(tag),
			ReplacementEmailContent: optional(
				z.strictObject({
					ReplacementTemplate: optional(z.strictObject({ReplacementTemplateData: optional(templateData)})),
				}),
			),
			ReplacementHeaders: headers,
		}),
	),
});

export type SendEmailFields = z.output<typeof sendEmailFields>;
export type SendBulkEmailFields = z.output<typeof sendBulkEmailFields>;
export type SesContent = z.output<typeof sesContent>;
export type SesTemplate = z.output<typeof template>;
export type SesAttachment = z.output<typeof attachment>;
export type SesHeader = z.output<typeof messageHeader>;
export type SesTag = z.output<typeof tag>;
/** Fields about sending, not about content. */
export type SesSending = Pick<SendEmailFields, keyof typeof sending>;
export type SesDestination = z.output<typeof destination>;
