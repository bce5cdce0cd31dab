import {randomBytes} from 'node:crypto';
import type {z} from 'zod';
import {readJson} from '../json.js';
import type {SendRequest, SentMail} from '../provider.js';
import {errorsOf} from './check-mail.js';
import {badRequest, type SendgridError, wrongField} from './errors.js';
import {type SendgridMail, sendgridMail} from './mail-schema.js';
import {personalize} from './personalize.js';
import {undoneFields, unknownFields} from './warnings.js';

/** As many errors are told. */
const maxErrors = 20;

/** What a request sends: a mail for each personalization. All of them have the id of the answer. */
export function readMailSend({body, now}: Pick<SendRequest, 'body' | 'now'>): readonly SentMail[] {
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
