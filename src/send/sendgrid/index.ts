import {randomBytes} from 'node:crypto';
import type {z} from 'zod';
import {readJson} from '../json.js';
import {basicCredentials, type Provider, type SendRequest, type SentMail} from '../provider.js';
import {validate, warnOfUnknownFields} from '../validate.js';
import {badRequest, type SendgridError, sendgridProblem, wrongField} from './errors.js';
import {errorsOf, type SendgridMail, sendgridMail} from './mail.js';
import {personalize} from './personalize.js';

/** Maximum size of a mail with its attachments, as SendGrid documents it. */
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

/** API key: a bearer token, or the password of the user `apikey`, as old clients and Twilio's send it. */
function keyOf({headers}: Pick<SendRequest, 'headers'>): string | undefined {
	const {authorization = ''} = headers;
	const [, token] = /^Bearer\s+(\S+)\s*$/i.exec(authorization) ?? [];
	return token ?? basicCredentials(authorization, 'apikey');
}

/** Number of errors that an answer lists. */
const maxErrors = 20;

/** Reads a request: one mail for each personalization. All mails share the id in the answer. */
function readMailSend({body, now}: Pick<SendRequest, 'body' | 'now'>): readonly SentMail[] {
	const {value: mail, unknown} = validate(sendgridMail, readJson(body), describeIssue, issues =>
		badRequest(issues.slice(0, maxErrors).map(issueError)),
	);
	const errors = errorsOf(mail, now);
	if (errors.length > 0) {
		throw badRequest(errors.slice(0, maxErrors));
	}

	const id = randomBytes(16).toString('base64url');
	const unknownNames = unknown.map(path => path.join('.'));
	return personalize(mail, id, [...warnOfUnknownFields(unknownNames, 'SendGrid'), ...warnOfIgnoredFields(mail)]);
}

function describeIssue(issue: z.core.$ZodRawIssue): string {
	return issue.code === 'invalid_type'
		? `Invalid type. Expected: ${typeNames[issue.expected] ?? issue.expected}, given: ${typeName(issue.input)}.`
		: 'Bad Request';
}

/** Names in JSON Schema of types that zod names differently. */
const typeNames: Readonly<Record<string, string>> = {int: 'integer', number: 'integer', record: 'object'};

function typeName(input: unknown): string {
	if (input === null) {
		return 'null';
	}

	if (Array.isArray(input)) {
		return 'array';
	}

	return Number.isInteger(input) ? 'integer' : typeof input;
}

function issueError(issue: z.core.$ZodIssue): SendgridError {
	const keyProblem = issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined;
	return wrongField(issue.path, keyProblem ?? issue.message);
}

/** Fields that have no effect in tinbox, with the reason. */
const ignoredFields: Readonly<Record<string, string>> = {
	asm: 'tinbox does not add unsubscribe links',
	batch_id: 'tinbox does not support canceling batches',
	ip_pool_name: 'tinbox does not relay mail',
	send_at: 'tinbox delivers immediately',
};

const ignoredSettings: Readonly<Record<string, string>> = {
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

/** Warnings about fields of SendGrid that have no effect in tinbox. */
function warnOfIgnoredFields(mail: SendgridMail): readonly string[] {
	const ignored = Object.entries(ignoredFields).filter(([field]) => mail[field as keyof SendgridMail] !== undefined);
	const groups = {mail_settings: mail.mail_settings ?? {}, tracking_settings: mail.tracking_settings ?? {}};
	const enabled = Object.entries(groups).flatMap(([group, settings]) =>
		Object.entries(settings)
			.filter(([, setting]) => setting?.enable)
			.map(([name]) => `${group}.${name}`),
	);
	const isScheduled = mail.send_at === undefined && mail.personalizations?.some(({send_at}) => send_at !== undefined);
	return [
		...ignored.map(([field, reason]) => `"${field}" has no effect: ${reason}.`),
		...(isScheduled ? [`"send_at" has no effect: ${ignoredFields['send_at']}.`] : []),
		...enabled.flatMap(field => {
			const reason = ignoredSettings[field];
			return reason === undefined ? [] : [`"${field}" has no effect: ${reason}.`];
		}),
	];
}
