import {SendError} from '../../../../src/domain/mail/sending.js';
import type {Answer, ComposedContent, ReadMails, SendRequest, SentMail} from '../../../../src/send/provider.js';
import {ses} from '../../../../src/send/ses/index.js';

export const now = new Date('2026-11-23T09:00:00Z');

const signature =
	'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20261123/eu-west-1/ses/aws4_request, SignedHeaders=host;x-amz-date, Signature=0f';

function request(path: string, type: string, body: string | Buffer): SendRequest {
	return {
		method: 'POST',
		path,
		params: {},
		query: new URLSearchParams(),
		headers: {authorization: signature, 'content-type': type},
		body: Buffer.from(body),
		now,
	};
}

/** Request for one mail in version 2. */
export function emailRequest(body: unknown): SendRequest {
	return request('/v2/email/outbound-emails', 'application/json', JSON.stringify(body));
}

export function bulkRequest(body: unknown): SendRequest {
	return request('/v2/email/outbound-bulk-emails', 'application/json', JSON.stringify(body));
}

/** Request for an action in version 1. */
export function actionRequest(action: string, parameters: Readonly<Record<string, string>>): SendRequest {
	return formRequest(new URLSearchParams({Action: action, Version: '2010-12-01', ...parameters}).toString());
}

export function formRequest(form: string): SendRequest {
	return request('/', 'application/x-www-form-urlencoded', form);
}

export function routeOf({path}: SendRequest) {
	const route = ses.routes.find(candidate => candidate.path === path);
	if (route === undefined) {
		throw new Error(`SES has no route ${path}.`);
	}

	return route;
}

/** Reads all mails of a request. */
export async function readAll(sendRequest: SendRequest): Promise<ReadMails> {
	return routeOf(sendRequest).read(sendRequest);
}

/** Reads the only mail of a request. */
export async function readOne(sendRequest: SendRequest): Promise<SentMail> {
	const [mail, ...others] = await readAll(sendRequest);
	if (mail === undefined || !('envelope' in mail) || others.length > 0) {
		throw new Error('The request does not have exactly one mail.');
	}

	return mail;
}

/** Error response to an invalid request. */
export async function refusalOf(sendRequest: SendRequest): Promise<Answer> {
	try {
		await readAll(sendRequest);
	} catch (error) {
		if (error instanceof SendError) {
			return ses.problem(error.failure, sendRequest);
		}

		throw error;
	}

	throw new Error('The request was not refused.');
}

/** Content of a composed mail. */
export function composed({content}: SentMail): ComposedContent {
	if ('raw' in content) {
		throw new Error('The mail is raw.');
	}

	return content;
}

/** Source of a raw mail with one character per byte. */
export function rawText({content}: SentMail): string {
	if (!('raw' in content)) {
		throw new Error('The mail is composed.');
	}

	return content.raw.toString('latin1');
}

/** Minimal body of `SendEmail` in version 2. */
export const plainEmail = {
	FromEmailAddress: 'app@example.com',
	Destination: {ToAddresses: ['signup@inbox.test']},
	Content: {Simple: {Subject: {Data: 'Hello'}, Body: {Text: {Data: 'Your code is 123456.'}}}},
};

/** Minimal parameters of `SendEmail` in version 1. */
export const plainAction = {
	Source: 'app@example.com',
	'Destination.ToAddresses.member.1': 'signup@inbox.test',
	'Message.Subject.Data': 'Hello',
	'Message.Body.Text.Data': 'Your code is 123456.',
};
