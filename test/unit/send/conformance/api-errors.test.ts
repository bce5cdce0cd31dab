import {readFile} from 'node:fs/promises';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {SendProvider} from '../../../../src/contract/constants.js';
import {type Person, Tinbox} from '../../../helpers/tinbox.js';
import {openMailbox} from './mailbox.js';

/** An HTTP request. A string body is sent unchanged, any other body as JSON. */
type WireRequest = {
	readonly method: string;
	/** Path relative to the URL of the provider. */
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: unknown;
};

/** A provider API and its request for a plain mail. */
type Api = {
	readonly name: string;
	readonly provider: SendProvider;
	readonly request: (key: string) => WireRequest;
	/** Formats the error of a response on one line. */
	readonly errorOf: (response: Response, body: string) => string;
};

const people = {from: 'shop@shop.example', to: 'ann@example.org'};
const content = {subject: 'Your order', text: 'Thank you.'};
const json = {'Content-Type': 'application/json'};
const form = {'Content-Type': 'application/x-www-form-urlencoded'};

const signed = (key: string) =>
	`AWS4-HMAC-SHA256 Credential=${key}/20260101/eu-west-1/ses/aws4_request, SignedHeaders=host, Signature=00`;

const basic = (key: string) => `Basic ${Buffer.from(`api:${key}`).toString('base64')}`;

const bearer = (path: string) => (key: string) => ({
	method: 'POST',
	path,
	headers: {...json, Authorization: `Bearer ${key}`},
	body: {...people, ...content},
});

const element = (xml: string, name: string) => new RegExp(`<${name}>(.*)</${name}>`).exec(xml)?.[1];

const apis: readonly Api[] = [
	{
		name: 'Resend',
		provider: 'resend',
		request: bearer('/emails'),
		errorOf(_, body) {
			const {name, message} = JSON.parse(body);
			return `${name}: ${message}`;
		},
	},
	{
		name: 'Amazon SES, version 2',
		provider: 'ses',
		request: key => ({
			method: 'POST',
			path: '/v2/email/outbound-emails',
			headers: {...json, Authorization: signed(key)},
			body: {
				FromEmailAddress: people.from,
				Destination: {ToAddresses: [people.to]},
				Content: {Simple: {Subject: {Data: content.subject}, Body: {Text: {Data: content.text}}}},
			},
		}),
		errorOf({headers}, body) {
			const {message, BulkEmailEntryResults: entries = []} = JSON.parse(body) as {
				readonly message?: string;
				readonly BulkEmailEntryResults?: ReadonlyArray<{readonly Status: string; readonly Error?: string}>;
			};
			return message === undefined
				? entries.map(({Status, Error: error}) => `${Status}${error === undefined ? '' : `: ${error}`}`).join('; ')
				: `${headers.get('x-amzn-errortype')}: ${message}`;
		},
	},
	{
		name: 'Amazon SES, version 1',
		provider: 'ses',
		request: key => ({
			method: 'POST',
			path: '',
			headers: {...form, Authorization: signed(key)},
			body: String(
				new URLSearchParams({
					Action: 'SendEmail',
					Version: '2010-12-01',
					Source: people.from,
					'Destination.ToAddresses.member.1': people.to,
					'Message.Subject.Data': content.subject,
					'Message.Body.Text.Data': content.text,
				}),
			),
		}),
		errorOf: (_, body) => `${element(body, 'Code')}: ${element(body, 'Message')}`,
	},
	{
		name: 'SendGrid',
		provider: 'sendgrid',
		request: key => ({
			method: 'POST',
			path: '/v3/mail/send',
			headers: {...json, Authorization: `Bearer ${key}`},
			body: {
				personalizations: [{to: [{email: people.to}]}],
				from: {email: people.from},
				subject: content.subject,
				content: [{type: 'text/plain', value: content.text}],
			},
		}),
		errorOf(_, body) {
			const {errors} = JSON.parse(body) as {errors: ReadonlyArray<{message: string; field: string | null}>};
			return errors.map(({message, field}) => `${message}${field === null ? '' : ` (${field})`}`).join('; ');
		},
	},
	{
		name: 'Postmark',
		provider: 'postmark',
		request: key => ({
			method: 'POST',
			path: '/email',
			headers: {...json, 'X-Postmark-Server-Token': key},
			body: {From: people.from, To: people.to, Subject: content.subject, TextBody: content.text},
		}),
		errorOf(_, body) {
			const answers = [JSON.parse(body)].flat() as ReadonlyArray<{
				readonly ErrorCode: number;
				readonly Message: string;
			}>;
			return answers.map(({ErrorCode, Message}) => `${ErrorCode}: ${Message}`).join('; ');
		},
	},
	{
		name: 'Mailgun',
		provider: 'mailgun',
		request: key => ({
			method: 'POST',
			path: '/v3/shop.example/messages',
			headers: {...form, Authorization: basic(key)},
			body: String(new URLSearchParams({...people, ...content})),
		}),
		errorOf: (_, body) => (body.startsWith('{') ? JSON.parse(body).message : body),
	},
	{
		name: 'tinbox',
		provider: 'tinbox',
		request: bearer(''),
		errorOf(_, body) {
			const {code, detail} = JSON.parse(body);
			return `${code}: ${detail}`;
		},
	},
];

/** An invalid request that the SDKs do not send. */
type ApiErrorCase = {
	/** First column of the table in docs/reference/sending-errors.md. */
	readonly cause: string;
	/** Derives the request from the request for a plain mail; undefined if the API cannot have this error. */
	readonly request: (plain: WireRequest, api: Api) => WireRequest | undefined;
	/** A successful request that precedes it. */
	readonly before?: (plain: WireRequest) => WireRequest;
};

const isForm = ({body}: WireRequest) => typeof body === 'string';

const withBody = (plain: WireRequest, body: unknown): WireRequest => ({...plain, body});

const withHeader = (plain: WireRequest, name: string, value: string): WireRequest => ({
	...plain,
	headers: {...plain.headers, [name]: value},
});

const fields = ({body}: WireRequest) => body as Readonly<Record<string, unknown>>;

/** Bodies with a number as the subject, by provider. */
const wrongType: Partial<Readonly<Record<SendProvider, (plain: WireRequest) => object>>> = {
	resend: plain => ({...fields(plain), subject: 7}),
	ses: plain => ({...fields(plain), Content: {Simple: {Subject: 7, Body: {Text: {Data: 'Thank you.'}}}}}),
	sendgrid: plain => ({...fields(plain), subject: 7}),
	postmark: plain => ({...fields(plain), Subject: 7}),
	tinbox: plain => ({...fields(plain), subject: 7}),
};

/** Recipients of each mail of a batch. */
type Recipients = ReadonlyArray<readonly string[]>;

/** Batch requests by provider. */
const batches: Partial<Readonly<Record<SendProvider, (plain: WireRequest, recipients: Recipients) => WireRequest>>> = {
	resend: (plain, recipients) => ({
		...plain,
		path: '/emails/batch',
		body: recipients.map(to => ({...fields(plain), to})),
	}),
	ses: (plain, recipients) => ({
		...plain,
		path: '/v2/email/outbound-bulk-emails',
		body: {
			FromEmailAddress: fields(plain)['FromEmailAddress'],
			DefaultContent: {Template: {TemplateName: 'order', TemplateData: '{}'}},
			BulkEmailEntries: recipients.map(to => ({Destination: {ToAddresses: to}})),
		},
	}),
	postmark: (plain, recipients) => ({
		...plain,
		path: '/email/batch',
		body: recipients.map(to => ({...fields(plain), To: to.join()})),
	}),
};

/** Batch lengths that exceed the maximum by one. */
const tooMany: Partial<Readonly<Record<SendProvider, number>>> = {resend: 101, ses: 51, postmark: 501};

const oneRecipient = ['ann@example.org'];

const hasKey = ({provider}: Api) => provider === 'resend' || provider === 'tinbox';

const apiErrorCases: readonly ApiErrorCase[] = [
	{
		cause: 'missing key',
		request: plain => ({...plain, headers: {'Content-Type': plain.headers['Content-Type'] ?? ''}}),
	},
	{
		cause: 'field of the wrong type',
		request: (plain, {provider}) => (isForm(plain) ? undefined : withBody(plain, wrongType[provider]?.(plain))),
	},
	{
		cause: 'invalid JSON',
		request: plain => (isForm(plain) ? undefined : withBody(plain, '{"subject": ')),
	},
	{
		cause: 'invalid form data',
		request: (plain, {provider}) =>
			provider === 'mailgun'
				? withBody(withHeader(plain, 'Content-Type', 'multipart/form-data; boundary=a'), '--a\r\nfrom')
				: undefined,
	},
	{cause: 'unsupported content type', request: plain => withHeader(plain, 'Content-Type', 'text/plain')},
	{cause: 'unknown path', request: plain => ({...plain, path: `${plain.path}/no/where`})},
	{cause: 'unsupported method', request: plain => ({...plain, method: 'PATCH'})},
	{
		cause: 'idempotency key reused for another mail',
		before: plain => withHeader(plain, 'Idempotency-Key', 'a'),
		request: (plain, api) =>
			hasKey(api)
				? withHeader(withBody(plain, {...fields(plain), subject: 'Another'}), 'Idempotency-Key', 'a')
				: undefined,
	},
	{
		cause: 'batch too long',
		request: (plain, {provider}) =>
			isForm(plain)
				? undefined
				: batches[provider]?.(plain, Array<string[]>(tooMany[provider] ?? 0).fill(oneRecipient)),
	},
	{
		cause: 'batch with a mail without recipients',
		request: (plain, {provider}) => (isForm(plain) ? undefined : batches[provider]?.(plain, [oneRecipient, []])),
	},
	{
		cause: 'unknown mail id',
		request: (plain, {provider}) =>
			provider === 'resend'
				? {...plain, method: 'GET', path: '/emails/00000000-0000-4000-8000-000000000000', body: undefined}
				: undefined,
	},
];

const docs = await readFile(new URL('../../../../docs/reference/sending-errors.md', import.meta.url), 'utf8');

let tinbox: Tinbox;
let ann: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	ann = await tinbox.user('ann');
});
afterAll(async () => tinbox.close());

describe.each(apis)('the API of $name', api => {
	const [, section = ''] = docs.split(`### ${api.name}\n`);
	const rows = section.split('\n\n#')[0]?.matchAll(/^\| (.*) \| ``(.*)`` \|$/gm) ?? [];
	const documented = new Map([...rows].map(([, cause, error]) => [cause, error]));
	const possible = apiErrorCases.filter(({request}) => request(api.request('a'), api));
	test.each(possible)('returns the documented error for: $cause', async ({cause, request, before}) => {
		const {sendKey} = await openMailbox(tinbox, ann);
		const plain = api.request(sendKey);
		if (before) {
			expect((await sendRequest(api.provider, before(plain))).ok).toBe(true);
		}

		const response = await sendRequest(api.provider, request(plain, api) ?? plain);
		expect(`${response.status} ${api.errorOf(response, await response.text())}`).toBe(documented.get(cause));
	});
});

async function sendRequest(provider: string, {method, path, headers, body}: WireRequest): Promise<Response> {
	const base = provider === 'tinbox' ? `${tinbox.url}/send` : new URL(`/send/${provider}`, tinbox.url).href;
	const bytes = typeof body === 'string' ? body : JSON.stringify(body);
	return fetch(base + path, {method, headers, ...(body !== undefined && {body: bytes})});
}
