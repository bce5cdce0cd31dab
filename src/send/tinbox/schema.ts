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
const content = z.string().regex(/^[A-Za-z0-9+/ \t\r\n]*={0,2}[ \t\r\n]*$/, 'must be in base64');

const attachment = z
	.strictObject({
		filename: z.string().min(1).max(255),
		content: content.transform(text => Buffer.from(text, 'base64')),
		content_type: z.string().max(255).default(''),
		content_id: z.string().max(255).default(''),
	})
	.meta({id: 'SendMailAttachment'});

const headers = z.record(z.string(), z.string()).superRefine((all, check) => {
	for (const [name, value] of Object.entries(all)) {
		if (isTakenHeader(name)) {
			check.addIssue({code: 'custom', path: [name], message: 'is set by other fields'});
		} else if (!isHeader(name, value)) {
			check.addIssue({code: 'custom', path: [name], message: 'is no header field in one line'});
		}
	}
});

export const sendMailSchema = z
	.strictObject({
		from: mailbox,
		to: mailboxes,
		cc: mailboxes,
		bcc: mailboxes,
		reply_to: mailboxes,
		subject: z.string().max(10_000).default(''),
		text: z.string().optional(),
		html: z.string().optional(),
		attachments: z.array(attachment).max(1000).default([]),
		headers: headers.default({}),
		tags: z.array(z.string().max(1000)).max(100).default([]),
		metadata: z.record(z.string().max(1000), z.string().max(1000)).default({}),
		template: z
			.strictObject({id: z.string().min(1).max(1000), data: z.record(z.string(), z.unknown()).default({})})
			.meta({id: 'SendMailTemplate'})
			.optional(),
	})
	.superRefine(({to, cc, bcc}, check) => {
		const count = to.length + cc.length + bcc.length;
		if (count === 0) {
			check.addIssue({code: 'custom', path: ['to'], message: 'must name somebody, or "cc" or "bcc" must'});
		} else if (count > maxRecipients) {
			check.addIssue({
				code: 'custom',
				path: ['to'],
				message: `must name at most ${maxRecipients}, "cc" and "bcc" included`,
			});
		}
	})
	.meta({id: 'SendMail'});
