import {z} from 'zod';
import {isAddress} from '../mail-fields.js';
import {type SendgridError, wrongField} from './errors.js';

/*
 * The schema checks the type of each field, with SendGrid's messages. `errorsOf` checks required fields and rules that involve
 * several fields.
 */

/** Shortened JSON of a value, for error messages. */
const shown = (value: unknown) => String(JSON.stringify(value)).slice(0, 100);

const required = (message: string) => z.string(message).min(1, message);

/** Media types without parameters. Attachments may have a charset: Django Anymail sends one. */
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

const maxPersonalizations = 1000;
const maxRecipients = 1000;
const maxSubstitutions = 150;
const maxCategories = 10;
const maxCategoryLength = 255;
const maxCustomArgsBytes = 50_000;
const maxScheduledSeconds = 72 * 60 * 60;

const exampleAddress =
	'{"email": "example@example.com"} or {"email": "example@example.com", "name": "Example Recipient"}';

/** Headers that SendGrid does not let requests set. */
const reservedHeaders: ReadonlySet<string> = new Set([
	'x-sg-id',
	'x-sg-eid',
	'received',
	'dkim-signature',
	'content-type',
	'content-transfer-encoding',
	'to',
	'from',
	'subject',
	'reply-to',
	'cc',
	'bcc',
]);

type Path = ReadonlyArray<string | number>;

/** Violations of SendGrid's rules in a mail that matches the schema. */
export function errorsOf(mail: SendgridMail, now: Date): readonly SendgridError[] {
	return [
		...personalizationErrors(mail, now),
		...senderErrors(mail),
		...contentErrors(mail),
		...categoryErrors(mail.categories ?? []),
		...headerErrors(mail.headers, ['headers']),
		...customArgsErrors(mail.custom_args, ['custom_args']),
		...scheduleErrors(mail.send_at, ['send_at'], now),
	];
}

function* personalizationErrors(mail: SendgridMail, now: Date): Iterable<SendgridError> {
	const {personalizations = []} = mail;
	const path = ['personalizations'];
	if (personalizations.length === 0) {
		yield wrongField(path, 'The personalizations field is required and must have at least one personalization.');
		return;
	}

	if (personalizations.length > maxPersonalizations) {
		yield wrongField(
			path,
			`The personalization block is limited to ${maxPersonalizations} personalizations per API request. You have provided ${personalizations.length} personalizations. Please consider splitting this into multiple requests and resending your request.`,
		);
		return;
	}

	const recipients = personalizations.reduce((sum, one) => sum + recipientsOf(one).length, 0);
	if (recipients > maxRecipients) {
		const message = `There is a limit of ${maxRecipients} total recipients (to + cc + bcc) per request.`;
		yield wrongField(path, message, 'message.recipient-errors');
	}

	for (const [index, one] of personalizations.entries()) {
		const within = [...path, index];
		yield* recipientErrors(one, within);
		yield* addressErrors('from', one.from, [...within, 'from']);
		yield* headerErrors(one.headers, [...within, 'headers']);
		yield* customArgsErrors(one.custom_args, [...within, 'custom_args'], mail.custom_args);
		yield* scheduleErrors(one.send_at, [...within, 'send_at'], now);
		yield* substitutionErrors(one, [...within, 'substitutions'], mail.template_id);
	}

	if (mail.subject === undefined && !mail.template_id && personalizations.some(({subject}) => subject === undefined)) {
		yield wrongField(
			['subject'],
			'The subject is required. You can get around this requirement if you use a template with a subject defined or if every personalization has a subject defined.',
		);
	}
}

/** Recipients of a personalization with their fields. */
function recipientsOf({to = [], cc = [], bcc = []}: Personalization) {
	return Object.entries({to, cc, bcc}).flatMap(([field, addresses]) =>
		addresses.map(({email = ''}, index) => ({field, index, email})),
	);
}

function* recipientErrors(personalization: Personalization, path: Path): Iterable<SendgridError> {
	if ((personalization.to ?? []).length === 0) {
		yield wrongField(
			[...path, 'to'],
			'The to array is required for all personalization objects, and must have at least one email object with a valid email address.',
		);
	}

	const seen = new Set<string>();
	for (const {field, index, email} of recipientsOf(personalization)) {
		const at = [...path, field, index, 'email'];
		if (email === '') {
			yield wrongField(at, `The ${field} email parameter is required.`);
		} else if (!isAddress(email)) {
			yield wrongField(at, 'Does not contain a valid address.');
		} else if (seen.has(email.toLowerCase())) {
			yield wrongField(
				path,
				`Each email address in the personalization block should be unique between to, cc, and bcc. We found the first duplicate instance of [${email}] in the ${[...path, field].join('.')} field.`,
				'message.recipient-errors',
			);
			return;
		}

		seen.add(email.toLowerCase());
	}
}

function* senderErrors({from, reply_to, reply_to_list, mail_settings}: SendgridMail): Iterable<SendgridError> {
	if (from === undefined) {
		yield wrongField(
			['from', 'email'],
			`The from object must be provided for every email send. It is an object that requires the email parameter, but may also contain a name parameter.  e.g. ${exampleAddress}.`,
		);
	}

	yield* addressErrors('from', from, ['from']);
	yield* addressErrors('reply_to', reply_to, ['reply_to']);
	for (const [index, address] of (reply_to_list ?? []).entries()) {
		yield* addressErrors('reply_to_list', address, ['reply_to_list', index]);
	}

	if (mail_settings?.bcc?.enable && !isAddress(mail_settings.bcc.email ?? '')) {
		const message = 'You must include a recipient object when using the bcc mail setting.';
		yield wrongField(['mail_settings', 'bcc', 'email'], message);
	}

	if (reply_to && reply_to_list) {
		yield wrongField(['reply_to_list'], 'The reply_to and reply_to_list properties are mutually exclusive.');
	}
}

function* addressErrors(name: string, address: {email?: string | undefined} | undefined, path: Path) {
	if (address && !isAddress(address.email ?? '')) {
		yield wrongField([...path, 'email'], `The ${name} email does not contain a valid address.`);
	}
}

const contentOrder = ['text/plain', 'text/html'];

function* contentErrors({content = [], template_id}: SendgridMail): Iterable<SendgridError> {
	if (content.length === 0 && !template_id) {
		yield wrongField(
			['content'],
			'Unless a valid template_id is provided, the content parameter is required. There must be at least one defined content block. We typically suggest both text/plain and text/html blocks are included, but only one block is required.',
		);
	}

	const ranks = content.map(({type}) => contentOrder.indexOf(type.toLowerCase())).map(rank => (rank < 0 ? 2 : rank));
	if (ranks.some((rank, index) => rank < (ranks[index - 1] ?? 0))) {
		yield wrongField(
			['content'],
			'Following RFC 1341, section 7.2, if either text/html or text/plain are to be sent in your email: text/plain needs to be first, followed by text/html, followed by any other content.',
		);
	}
}

function* categoryErrors(categories: readonly string[]): Iterable<SendgridError> {
	const path = ['categories'];
	if (categories.length > maxCategories) {
		yield wrongField(
			path,
			`There is a limit of ${maxCategories} categories for each email that is sent. You provided ${categories.length} categories.`,
		);
		return;
	}

	for (const [index, category] of categories.entries()) {
		const shown = category.slice(0, maxCategoryLength);
		if (category.length > maxCategoryLength) {
			yield wrongField(
				[...path, index],
				`Each category must not be longer than ${maxCategoryLength} characters. ${shown} exceeds this limit.`,
			);
		} else if (!/^\p{ASCII}*$/u.test(category)) {
			yield wrongField([...path, index], 'Categories can not contain non-ASCII characters.');
		} else if (categories.indexOf(category) !== index) {
			yield wrongField(path, `The categories must be a unique list, and you have included ${shown} more than once.`);
		}
	}
}

function* headerErrors(headers: Readonly<Record<string, string>> = {}, path: Path): Iterable<SendgridError> {
	const names = Object.keys(headers).map(name => name.toLowerCase());
	if (new Set(names).size < names.length) {
		yield wrongField(path, "The headers can't contain duplicate keys.");
	}

	if (names.some(name => reservedHeaders.has(name))) {
		yield wrongField(path, 'Header can not be one of the reserved keys.');
	}
}

function* customArgsErrors(
	own: Readonly<Record<string, string>> | undefined,
	path: Path,
	common: Readonly<Record<string, string>> = {},
): Iterable<SendgridError> {
	if (own && Object.keys(own).length === 0) {
		yield wrongField(path, "custom_args can't be empty.");
	}

	if (own && Buffer.byteLength(JSON.stringify({...common, ...own})) > maxCustomArgsBytes) {
		yield wrongField(
			path,
			'The combined size of both global and personalization custom arguments may not exceed 50,000 bytes per personalization.',
		);
	}
}

function* scheduleErrors(sendAt: number | undefined, path: Path, now: Date): Iterable<SendgridError> {
	if (sendAt !== undefined && sendAt > now.getTime() / 1000 + maxScheduledSeconds) {
		yield wrongField(path, 'Scheduling more than 72 hours in advance is forbidden.');
	}
}

function* substitutionErrors({substitutions}: Personalization, path: Path, templateId = ''): Iterable<SendgridError> {
	if (substitutions && templateId.startsWith('d-')) {
		yield wrongField(path, 'Substitutions may not be used with dynamic templating');
	}

	if (Object.keys(substitutions ?? {}).length > maxSubstitutions) {
		yield wrongField(path, `Substitutions are limited to ${maxSubstitutions} items per personalization block.`);
	}
}
