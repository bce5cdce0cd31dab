import {z} from 'zod';

/**
 * What SendGrid knows of a mail, and what it says of values that are of another kind. What depends on other fields, or on a
 * field being there, is checked in `check-mail.ts`; fields that are named here and done nowhere are told by `warnings.ts`.
 */

/** A value from outside, cut short: it comes back in the answer. */
const shown = (value: unknown) => String(JSON.stringify(value)).slice(0, 100);

const required = (message: string) => z.string(message).min(1, message);

/** No `;`, and in one line. Attachments may say their charset, and Django Anymail does. */
const plainType = /^[^;\r\n]*$/;
const attachedType = /^[^;\r\n]*(;\s*charset=[^;\r\n]*)?$/i;
const oneLine = /^[^\r\n]*$/;
const base64 = /^[A-Za-z\d+/]*={0,2}$/;

const address = z.strictObject({email: z.string().optional(), name: z.string().optional()});
const addresses = z.array(address);

const texts = (message: string) => z.record(z.string(), z.string(message));

const headers = z.record(
	z.string().regex(/^[!-9;-~]+$/, "Header keys can't contain non-ASCII characters and empty spaces."),
	z.string('The header values must be strings.'),
);
const subject = z.string().min(1, 'The subject of your email must be a string at least one character in length.');
const customArgs = texts('All values of custom arguments object must be strings');
const sendAt = z.int();

const personalization = z.strictObject({
	from: address.optional(),
	to: addresses.optional(),
	cc: addresses.optional(),
	bcc: addresses.optional(),
	subject: subject.optional(),
	headers: headers.optional(),
	substitutions: texts(
		'The substitution values must be an object of key/value pairs, where the values are all strings.',
	).optional(),
	dynamic_template_data: z.record(z.string(), z.unknown()).optional(),
	custom_args: customArgs.optional(),
	send_at: sendAt.optional(),
});

const content = z.strictObject({
	type: required('Your content type must be a string with length of at least one character.').regex(
		plainType,
		"The content type cannot contain ';', or CRLF characters.",
	),
	value: required('The content value must be a string at least one character in length.'),
});

const attachment = z.strictObject({
	content: required('The attachment content must be a string at least one character in length.').refine(
		text => text.length % 4 === 0 && base64.test(text),
		'The attachment content must be base64 encoded.',
	),
	type: required('The attachment type must be a string and at least one character in length.')
		.regex(attachedType, "The attachment type cannot contain ';', or CRLF characters.")
		.optional(),
	filename: z
		.string({
			error: ({input}) =>
				input === undefined ? 'The filename is required.' : 'The filename of your attachment must be a string.',
		})
		.regex(oneLine, 'The filename of your attachment cannot contain CRLF characters.'),
	disposition: z
		.enum(['inline', 'attachment'], {
			error: ({input}) =>
				`The disposition of your attachment can be either "inline" or "attachment". You provided ${shown(input)}.`,
		})
		.optional(),
	content_id: z
		.string({error: ({input}) => `The content ID of your attachment must be a string. You provided ${shown(input)}.`})
		.regex(oneLine, 'The content ID of your attachment cannot contain CRLF characters.')
		.optional(),
});

const setting = <Shape extends z.ZodRawShape>(name: string, shape: Shape) =>
	z
		.strictObject({enable: z.boolean(`The ${name} enable param should be a boolean value.`).optional(), ...shape})
		.optional();

const text = z.string().optional();

const mailSettings = z.strictObject({
	bcc: setting('bcc', {email: text}),
	bypass_list_management: setting('bypass list management', {}),
	bypass_spam_management: setting('bypass spam management', {}),
	bypass_bounce_management: setting('bypass bounce management', {}),
	bypass_unsubscribe_management: setting('bypass unsubscribe management', {}),
	footer: setting('footer', {text, html: text}),
	sandbox_mode: setting('sandbox mode', {}),
	spam_check: setting('spam check', {threshold: z.int().optional(), post_to_url: text}),
});

const trackingSettings = z.strictObject({
	click_tracking: setting('click tracking', {
		enable_text: z.boolean('The click tracking enable text must be a boolean value.').optional(),
	}),
	open_tracking: setting('open tracking', {substitution_tag: text}),
	subscription_tracking: setting('subscription tracking', {text, html: text, substitution_tag: text}),
	ganalytics: setting('Google Analytics', {
		utm_source: text,
		utm_medium: text,
		utm_term: text,
		utm_content: text,
		utm_campaign: text,
	}),
});

const groupId = z.int('The ASM group ID must be an integer.');

export const sendgridMail = z.strictObject({
	personalizations: z.array(personalization).optional(),
	from: address.optional(),
	reply_to: address.optional(),
	reply_to_list: addresses.optional(),
	subject: subject.optional(),
	content: z.array(content).optional(),
	attachments: z.array(attachment).optional(),
	template_id: z
		.string({error: ({input}) => `The template ID must be a string, you provided ${shown(input)}.`})
		.optional(),
	headers: headers.optional(),
	sections: texts('The section values must be strings.').optional(),
	categories: z.array(z.string('Categories must be an array of strings.')).optional(),
	custom_args: customArgs.optional(),
	send_at: sendAt.optional(),
	batch_id: z.string('The batch_id must be a string.').optional(),
	asm: z
		.strictObject({
			group_id: groupId,
			groups_to_display: z.array(groupId, 'The ASM Group IDs to display must be an array of integers.').optional(),
		})
		.optional(),
	ip_pool_name: z.string('The name of your IP pool must be a string.').optional(),
	mail_settings: mailSettings.optional(),
	tracking_settings: trackingSettings.optional(),
});

export type SendgridMail = z.infer<typeof sendgridMail>;
export type Personalization = z.infer<typeof personalization>;
