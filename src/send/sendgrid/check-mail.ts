import {isAddress} from '../named-address.js';
import {type SendgridError, wrongField} from './errors.js';
import type {Personalization, SendgridMail} from './mail-schema.js';

const maxPersonalizations = 1000;
const maxRecipients = 1000;
const maxSubstitutions = 150;
const maxCategories = 10;
const maxCategoryLength = 255;
const maxCustomArgsBytes = 50_000;
const maxScheduledSeconds = 72 * 60 * 60;

const exampleAddress =
	'{"email": "example@example.com"} or {"email": "example@example.com", "name": "Example Recipient"}';

/** What SendGrid keeps for itself. */
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

/** What is wrong with a mail whose fields are of the right kind each. */
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

/** All whom a personalization names, with the field that does. */
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
