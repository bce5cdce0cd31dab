import type {SendProvider} from '../../../../src/contract/constants.js';

/** A request as it goes over the wire. A text is sent as it is, everything else as JSON. */
export type WireRequest = {
	readonly method: string;
	/** Below the address of the provider. */
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: unknown;
};

/** An API, and a mail as it takes one from anybody. */
export type Api = {
	readonly name: string;
	readonly provider: SendProvider;
	readonly request: (key: string) => WireRequest;
	/** What an answer that is a refusal says, on one line. */
	readonly said: (response: Response, body: string) => string;
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

export const apis: readonly Api[] = [
	{
		name: 'Resend',
		provider: 'resend',
		request: bearer('/emails'),
		said(_, body) {
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
		said({headers}, body) {
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
		said: (_, body) => `${element(body, 'Code')}: ${element(body, 'Message')}`,
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
		said(_, body) {
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
		said(_, body) {
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
		said: (_, body) => (body.startsWith('{') ? JSON.parse(body).message : body),
	},
	{
		name: 'tinbox',
		provider: 'tinbox',
		request: bearer(''),
		said(_, body) {
			const {code, detail} = JSON.parse(body);
			return `${code}: ${detail}`;
		},
	},
];
