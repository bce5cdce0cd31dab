import {z} from 'zod';
import {isHeader, isTakenHeader} from '../mail-headers.js';
import {readNamedAddress} from '../named-address.js';

/** Recipients of one mail, of all kinds together. */
export const maxRecipients = 1000;

const noMailbox = 'must be an address such as "ann@example.com" or "Ann <ann@example.com>"';

const mailbox = z.string().transform((text, check) => {
	const read = readNamedAddress(text);
	if (!read) {
		check.addIssue({code: 'custom', message: noMailbox});
		return z.NEVER;
	}

	return read;
});

/** One, or several: what is wrong is told of each. */
const mailboxes = z
	.union([z.array(z.string()).max(maxRecipients), z.string()])
	.meta({id: 'SendMailRecipients'})
	.transform((given, check) =>
		[given].flat().flatMap((text, index) => {
			const read = readNamedAddress(text);
			if (!read) {
				check.addIssue({code: 'custom', path: Array.isArray(given) ? [index] : [], message: noMailbox});
			}

			return read ?? [];
		}),
	)
	.optional()
	.transform(list => list ?? []);

/** The pattern is one that all languages read. */
const content = z.string().regex(/^[A-Za-z0-9+/ \t\r\n]*={0,2}[ \t\r\n]*$/, 'must be base64');

const attachment = z
	.strictObject({
		filename: z.string().min(1).max(255).describe('File name.'),
		content: content.transform(text => Buffer.from(text, 'base64')).describe('Content in base64.'),
		content_type: z.string().max(255).default('').describe('Media type (default: guessed from the file name).'),
		content_id: z
			.string()
			.max(255)
			.default('')
			.describe('Content-ID that the HTML refers to as `cid:`; makes the attachment inline.'),
	})
	.meta({id: 'SendMailAttachment'});

const headers = z.record(z.string(), z.string()).superRefine((all, check) => {
	for (const [name, value] of Object.entries(all)) {
		if (isTakenHeader(name)) {
			check.addIssue({code: 'custom', path: [name], message: 'is set by other fields'});
		} else if (!isHeader(name, value)) {
			check.addIssue({code: 'custom', path: [name], message: 'must be a valid header field on one line'});
		}
	}
});

export const sendMailSchema = z
	.strictObject({
		from: mailbox.describe('Sender, as `ann@example.com` or `Ann <ann@example.com>`.'),
		to: mailboxes.describe('Recipients in the `To` header field: one address or several.'),
		cc: mailboxes.describe('Recipients in the `Cc` header field: one address or several.'),
		bcc: mailboxes.describe('Recipients that are only in the envelope: one address or several.'),
		reply_to: mailboxes.describe('Addresses in the `Reply-To` header field: one or several.'),
		subject: z.string().max(10_000).default('').describe('Subject.'),
		text: z.string().optional().describe('Plain text.'),
		html: z.string().optional().describe('HTML.'),
		attachments: z.array(attachment).max(1000).default([]).describe('Attachments.'),
		headers: headers.default({}).describe('Additional header fields by name.'),
		tags: z
			.array(z.string().max(1000))
			.max(100)
			.default([])
			.describe('Tags, stored with the message in `session.request`.'),
		metadata: z
			.record(z.string().max(1000), z.string().max(1000))
			.default({})
			.describe('Custom values by name, stored with the message in `session.request`.'),
		template: z
			.strictObject({
				id: z.string().min(1).max(1000).describe('Id of the template.'),
				data: z.record(z.string(), z.unknown()).default({}).describe('Values of the variables.'),
			})
			.meta({id: 'SendMailTemplate'})
			.optional()
			.describe('Template that fills in the subject and bodies that are left out.'),
	})
	.superRefine(({to, cc, bcc}, check) => {
		const count = to.length + cc.length + bcc.length;
		if (count === 0) {
			check.addIssue({code: 'custom', path: ['to'], message: 'is required, unless "cc" or "bcc" has a recipient'});
		} else if (count > maxRecipients) {
			check.addIssue({
				code: 'custom',
				path: ['to'],
				message: `must have at most ${maxRecipients} recipients, including "cc" and "bcc"`,
			});
		}
	})
	.meta({id: 'SendMail'});
