import {randomBytes} from 'node:crypto';
import type {z} from 'zod';
import {readJson} from '../json.js';
import {basicCredentials, type Provider, type SendRequest, type SentMail} from '../provider.js';
import {badRequest, type SendgridError, sendgridProblem, wrongField} from './errors.js';
import {errorsOf, type SendgridMail, sendgridMail} from './mail.js';
import {personalize} from './personalize.js';

/** Of an email with all that belongs to it, as SendGrid documents it. */
const maxBytes = 30 * 1024 * 1024;

/** SendGrid's Mail Send API, v3. */
export const sendgrid: Provider = {
	name: 'sendgrid',
	maxBytes,
	routes: [
		{
			method: 'POST',
			path: '/v3/mail/send',
			types: ['application/json'],
			read: readMailSend,
			answer: ([first]) => ({
				status: 202,
				headers: {'X-Message-Id': first?.id ?? ''},
				body: '',
			}),
		},
	],
	keyOf,
	problem: sendgridProblem,
};

/** The API key, which clients of old and Twilio's give as the password of `apikey`. */
function keyOf({headers}: Pick<SendRequest, 'headers'>): string | undefined {
	const {authorization = ''} = headers;
	const [, token] = /^Bearer\s+(\S+)\s*$/i.exec(authorization) ?? [];
	return token ?? basicCredentials(authorization, 'apikey');
}

/** As many errors are told. */
const maxErrors = 20;

/** What a request sends: a mail for each personalization. All of them have the id of the answer. */
function readMailSend({body, now}: Pick<SendRequest, 'body' | 'now'>): readonly SentMail[] {
	const {mail, unknown} = checkKinds(readJson(body));
	const errors = errorsOf(mail, now);
	if (errors.length > 0) {
		throw badRequest(errors.slice(0, maxErrors));
	}

	const id = randomBytes(16).toString('base64url');
	return personalize(mail, id, [...unknownFields(unknown), ...undoneFields(mail)]);
}

/** What is sent, and which of its fields SendGrid does not know. */
function checkKinds(input: unknown) {
	const issues = sendgridMail.safeParse(input, {error: describe}).error?.issues ?? [];
	const wrong = issues.filter(issue => issue.code !== 'unrecognized_keys');
	if (wrong.length > 0) {
		throw badRequest(wrong.slice(0, maxErrors).map(kindError));
	}

	// Only fields that nobody knows keep it from being of this type.
	return {mail: input as SendgridMail, unknown: issues.filter(issue => issue.code === 'unrecognized_keys')};
}

function describe(issue: z.core.$ZodRawIssue): string {
	return issue.code === 'invalid_type'
		? `Invalid type. Expected: ${kinds[issue.expected] ?? issue.expected}, given: ${kindOf(issue.input)}.`
		: 'Bad Request';
}

/** As JSON Schema names what zod names otherwise. */
const kinds: Readonly<Record<string, string>> = {int: 'integer', number: 'integer', record: 'object'};

function kindOf(input: unknown): string {
	if (input === null) {
		return 'null';
	}

	if (Array.isArray(input)) {
		return 'array';
	}

	return Number.isInteger(input) ? 'integer' : typeof input;
}

function kindError(issue: z.core.$ZodIssue): SendgridError {
	const ofKey = issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined;
	return wrongField(issue.path, ofKey ?? issue.message);
}

/** How many unknown fields are named, and how much is shown of a name. */
const maxNamed = 20;
const maxNameLength = 100;

/** Names the fields that SendGrid does not know. */
function unknownFields(issues: ReadonlyArray<z.core.$ZodIssueUnrecognizedKeys>): readonly string[] {
	const names = issues.flatMap(({path, keys}) => keys.map(key => [...path, key].join('.')));
	if (names.length === 0) {
		return [];
	}

	const named = names.slice(0, maxNamed).map(name => JSON.stringify(name.slice(0, maxNameLength)));
	const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
	return [`Unknown SendGrid fields were ignored: ${named.join(', ')}${more}.`];
}

/** What SendGrid does with these fields, and nobody here. */
const undone: Readonly<Record<string, string>> = {
	asm: 'tinbox does not add unsubscribe links',
	batch_id: 'tinbox does not support canceling batches',
	ip_pool_name: 'tinbox does not relay mail',
	send_at: 'tinbox delivers immediately',
};

const undoneSettings: Readonly<Record<string, string>> = {
	'mail_settings.footer': 'tinbox does not add a footer',
	'mail_settings.spam_check': 'tinbox does not check for spam',
	'mail_settings.sandbox_mode': 'SendGrid would not have delivered this mail',
	'mail_settings.bypass_list_management': 'tinbox has no unsubscribe list',
	'mail_settings.bypass_spam_management': 'tinbox has no spam report list',
	'mail_settings.bypass_bounce_management': 'tinbox has no bounce list',
	'mail_settings.bypass_unsubscribe_management': 'tinbox has no unsubscribe list',
	'tracking_settings.click_tracking': 'tinbox does not rewrite links',
	'tracking_settings.open_tracking': 'tinbox does not add a tracking pixel',
	'tracking_settings.subscription_tracking': 'tinbox does not add unsubscribe links',
	'tracking_settings.ganalytics': 'tinbox does not rewrite links',
};

/** Says which fields of a mail ask for something that is not done here. */
function undoneFields(mail: SendgridMail): readonly string[] {
	const given = Object.entries(undone).filter(([field]) => mail[field as keyof SendgridMail] !== undefined);
	const groups = {mail_settings: mail.mail_settings ?? {}, tracking_settings: mail.tracking_settings ?? {}};
	const enabled = Object.entries(groups).flatMap(([group, settings]) =>
		Object.entries(settings)
			.filter(([, setting]) => setting?.enable)
			.map(([name]) => `${group}.${name}`),
	);
	const isLater = mail.send_at === undefined && mail.personalizations?.some(({send_at}) => send_at !== undefined);
	return [
		...given.map(([field, meaning]) => `"${field}" has no effect: ${meaning}.`),
		...(isLater ? [`"send_at" has no effect: ${undone['send_at']}.`] : []),
		...enabled.flatMap(field => {
			const meaning = undoneSettings[field];
			return meaning === undefined ? [] : [`"${field}" has no effect: ${meaning}.`];
		}),
	];
}
