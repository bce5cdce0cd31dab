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

/** As the SDKs ask for one mail by version 2. */
export function emailRequest(body: unknown): SendRequest {
	return request('/v2/email/outbound-emails', 'application/json', JSON.stringify(body));
}

export function bulkRequest(body: unknown): SendRequest {
	return request('/v2/email/outbound-bulk-emails', 'application/json', JSON.stringify(body));
}

/** As the SDKs ask for an action of version 1. */
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

/** What a request is read as. */
export async function readAll(given: SendRequest): Promise<ReadMails> {
	return routeOf(given).read(given);
}

/** The one mail that a request is read as. */
export async function readOne(given: SendRequest): Promise<SentMail> {
	const [mail, ...others] = await readAll(given);
	if (mail === undefined || !('envelope' in mail) || others.length > 0) {
		throw new Error('That is not one mail.');
	}

	return mail;
}

/** The answer to a request that is refused. */
export async function refusalOf(given: SendRequest): Promise<Answer> {
	try {
		await readAll(given);
	} catch (error) {
		if (error instanceof SendError) {
			return ses.problem(error.failure, given);
		}

		throw error;
	}

	throw new Error('The request was not refused.');
}

/** What a mail is composed of. */
export function composed({content}: SentMail): ComposedContent {
	if ('raw' in content) {
		throw new Error('The mail comes as it is.');
	}

	return content;
}

/** A raw mail, byte for byte as text. */
export function rawText({content}: SentMail): string {
	if (!('raw' in content)) {
		throw new Error('The mail is composed.');
	}

	return content.raw.toString('latin1');
}

/** The least that `SendEmail` takes, in version 2. */
export const plainEmail = {
	FromEmailAddress: 'app@example.com',
	Destination: {ToAddresses: ['signup@inbox.test']},
	Content: {Simple: {Subject: {Data: 'Hello'}, Body: {Text: {Data: 'Your code is 123456.'}}}},
};

/** The same in version 1. */
export const plainAction = {
	Source: 'app@example.com',
	'Destination.ToAddresses.member.1': 'signup@inbox.test',
	'Message.Subject.Data': 'Hello',
	'Message.Body.Text.Data': 'Your code is 123456.',
};
