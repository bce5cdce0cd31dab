import fc from 'fast-check';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {SendProvider} from '../../../src/contract/constants.js';
import {type Person, Tinbox} from '../../helpers/tinbox.js';
import {openMailbox} from './conformance/mailbox.js';
import {mails, type RequestedMail} from './conformance/requested-mails.js';
import {type Account, sdks} from './conformance/sdks.js';

/** A raw HTTP request. Its body can be replaced by one that no SDK sends. */
type RawRequest = {
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	/** Body of a small mail. */
	readonly body: object;
};

const people = {from: 'shop@shop.example', to: 'ann@example.org'};
const content = {subject: 'Your order', text: 'Thank you.', html: '<p>Thank you.</p>'};
const attachment = {filename: 'a.txt', content: 'AAAA'};

/** Requests of the providers with a JSON API. */
const rawRequests: Readonly<Partial<Record<SendProvider, (key: string) => RawRequest>>> = {
	resend: key => ({
		path: '/emails',
		headers: {Authorization: `Bearer ${key}`},
		body: {
			...people,
			...content,
			cc: ['Bob <bob@example.org>'],
			reply_to: 'help@shop.example',
			headers: {'X-Order': '4711'},
			attachments: [{...attachment, content_type: 'text/plain', content_id: 'a'}],
			tags: [{name: 'a', value: 'b'}],
		},
	}),
	ses: key => ({
		path: '/v2/email/outbound-emails',
		headers: {
			Authorization: `AWS4-HMAC-SHA256 Credential=${key}/20260101/eu-west-1/ses/aws4_request, SignedHeaders=host, Signature=00`,
		},
		body: {
			FromEmailAddress: people.from,
			Destination: {ToAddresses: [people.to], CcAddresses: ['Bob <bob@example.org>']},
			ReplyToAddresses: ['help@shop.example'],
			EmailTags: [{Name: 'a', Value: 'b'}],
			Content: {
				Simple: {
					Subject: {Data: content.subject, Charset: 'UTF-8'},
					Body: {Text: {Data: content.text}, Html: {Data: content.html}},
					Headers: [{Name: 'X-Order', Value: '4711'}],
					Attachments: [{FileName: 'a.txt', RawContent: 'AAAA', ContentType: 'text/plain'}],
				},
			},
		},
	}),
	sendgrid: key => ({
		path: '/v3/mail/send',
		headers: {Authorization: `Bearer ${key}`},
		body: {
			personalizations: [
				{to: [{email: people.to, name: 'Ann'}], cc: [{email: 'bob@example.org'}], custom_args: {a: 'b'}},
			],
			from: {email: people.from, name: 'Shop'},
			reply_to: {email: 'help@shop.example'},
			subject: content.subject,
			content: [
				{type: 'text/plain', value: content.text},
				{type: 'text/html', value: content.html},
			],
			attachments: [{...attachment, type: 'text/plain', disposition: 'inline', content_id: 'a'}],
			headers: {'X-Order': '4711'},
			categories: ['a'],
			send_at: 1,
		},
	}),
	postmark: key => ({
		path: '/email',
		headers: {'X-Postmark-Server-Token': key},
		body: {
			From: people.from,
			To: people.to,
			Cc: 'Bob <bob@example.org>',
			ReplyTo: 'help@shop.example',
			Subject: content.subject,
			TextBody: content.text,
			HtmlBody: content.html,
			Tag: 'a',
			Metadata: {a: 'b'},
			Headers: [{Name: 'X-Order', Value: '4711'}],
			Attachments: [{Name: 'a.txt', Content: 'AAAA', ContentType: 'text/plain', ContentID: 'cid:a'}],
			TrackOpens: true,
		},
	}),
};

/** Sends a body unchanged, as JSON by default. */
async function post({url}: Account, {path, headers}: RawRequest, body: string | Buffer): Promise<Response> {
	return fetch(url + path, {method: 'POST', headers: {'Content-Type': 'application/json', ...headers}, body});
}

let tinbox: Tinbox;
let ann: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	ann = await tinbox.user('ann');
});
afterAll(async () => tinbox.close());

const [plain] = mails as [RequestedMail];

/** Mails with the text in each value that is written to a header field. */
const injections = (text: string): ReadonlyArray<Partial<RequestedMail> & {readonly title: string}> => [
	{title: 'the name of the sender', from: {name: text, address: 'shop@shop.example'}},
	{title: 'the address of the sender', from: {name: '', address: `shop@shop.example${text}`}},
	{title: 'the name of a recipient', to: [{name: text, address: 'ann@example.org'}]},
	{title: 'the address of a recipient', to: [{name: '', address: `ann@example.org${text}`}]},
	{title: 'the address of a cc recipient', cc: [{name: '', address: `bob@example.org${text}`}]},
	{title: 'the address of a bcc recipient', bcc: [`bob@example.org${text}`]},
	{title: 'the reply-to name', replyTo: [{name: text, address: 'help@shop.example'}]},
	{title: 'the subject', subject: `Hello${text}`},
	{title: 'a header', headers: {'X-Order': `1${text}`}},
	{title: 'the name of a header', headers: {[`X-Order${text}`]: '1'}},
	{title: 'the name of a file', files: [file({filename: `a${text}.txt`})]},
	{title: 'the type of a file', files: [file({contentType: `text/plain${text}`})]},
	{title: 'the content id of an image', files: [file({contentId: `a${text}`})]},
	{title: 'a tag', tags: [{name: 'a', value: `b${text}`}]},
	{title: 'metadata', metadata: {a: `b${text}`}},
];

function file(difference: Partial<RequestedMail['files'][number]>): RequestedMail['files'][number] {
	return {filename: 'a.txt', contentType: 'text/plain', content: 'AAAA', contentId: null, ...difference};
}

const headerBreaks = [
	'\r\nX-Injected: yes',
	'\nX-Injected: yes',
	'\rX-Injected: yes',
	'\r\n\r\nX-Injected: yes',
	'\0\u2028\u0085\nX-Injected: yes',
];

describe.each(sdks)('$name cannot inject a header field through', ({provider, send}) => {
	test.each(injections(''))('$title', async ({title}) => {
		const mailbox = await openMailbox(tinbox, ann);
		for (const text of headerBreaks) {
			const injection = injections(text).find(other => other.title === title);
			await send({...plain, ...injection, title}, mailbox.account(provider)).catch(() => {});
		}

		for (const {headers, attachments} of await mailbox.messages()) {
			expect(headers.map(({name}) => name.toLowerCase())).not.toContain('x-injected');
			expect(attachments).toHaveLength(injections('').find(other => other.title === title)?.files?.length ?? 0);
		}
	});
});

const asJson = Object.entries(rawRequests) as ReadonlyArray<
	readonly [SendProvider, (key: string) => ReturnType<NonNullable<(typeof rawRequests)['resend']>>]
>;

describe.each(asJson)('the API of %s', (provider, requestOf) => {
	test.each([
		['nothing', ''],
		['truncated JSON', '{"from": '],
		['null', 'null'],
		['a list', '[]'],
		['a list of lists', '[[[]]]'],
		['a text', '"from"'],
		['a number', '1e999'],
		['unclosed deep nesting', '['.repeat(200_000)],
		['closed deep nesting', `{"from": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
		['deep objects', `${'{"from":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
		['__proto__', '{"__proto__": {"from": "a@b.example", "to": "c@d.example"}}'],
		['constructor', '{"constructor": {"prototype": {"from": "a@b.example"}}}'],
		['a million fields', `{${Array.from({length: 1_000_000}, (_, index) => `"f${index}":1`).join()}}`],
		['a million recipients', `{"to": [${'"a@b.example",'.repeat(1_000_000)}"a@b.example"]}`],
		['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
		['a BOM', '\ufeff{}'],
	])('responds to %s with a 4xx status', async (_, body) => {
		const mailbox = await openMailbox(tinbox, ann);
		const response = await post(mailbox.account(provider), requestOf(mailbox.sendKey), body);
		expect([response.status, await response.text()]).toEqual([
			expect.toSatisfy(status => status >= 400 && status < 500),
			expect.any(String),
		]);
		expect(await mailbox.summaries()).toEqual([]);
	});

	test('never responds with a 5xx status to any value of a field', async () => {
		const mailbox = await openMailbox(tinbox, ann);
		const {body, ...request} = requestOf(mailbox.sendKey);
		const paths = pathsIn(body);
		await fc.assert(
			fc.asyncProperty(fc.constantFrom(...paths), hostile, async (path, value) => {
				const response = await post(
					mailbox.account(provider),
					{...request, body},
					JSON.stringify(repathd(body, path, value)),
				);
				expect([response.status, await response.text()]).toEqual([
					expect.toSatisfy(status => status < 500),
					expect.any(String),
				]);
			}),
			{numRuns: 100},
		);
	});
});

/** Strings with a special meaning, and any JSON values. */
const hostile = fc.oneof(
	fc.constantFrom<unknown>(
		'',
		' ',
		'\0',
		'\r\n',
		'@',
		'<>',
		'a@b'.repeat(1000),
		`"${'\\'.repeat(1000)}" <a@b.example>`,
		'((((((((((a@b.example',
		'=?UTF-8?B?//8=?=',
		'\ud800',
		'file:///etc/passwd',
		'data:text/plain,hello',
		'http://127.0.0.1:1/',
		'{{constructor.constructor}}',
		'../../../etc/passwd',
		-1,
		1e308,
		null,
		[],
		{},
		[null],
		{toString: 1},
		JSON.parse('{"__proto__": {"a": 1}}'),
	),
	fc.string({unit: 'binary'}),
	fc.emailAddress(),
	fc.jsonValue(),
);

type Path = ReadonlyArray<string>;

/** Paths of all values in a value, including the containers. */
function pathsIn(value: unknown, path: Path = []): readonly Path[] {
	const within = typeof value === 'object' && value !== null ? Object.entries(value) : [];
	return [path, ...within.flatMap(([name, inner]) => pathsIn(inner, [...path, name]))];
}

function repathd(value: unknown, [name, ...rest]: Path, by: unknown): unknown {
	if (name === undefined) {
		return by;
	}

	return Array.isArray(value)
		? value.map((inner, index) => (String(index) === name ? repathd(inner, rest, by) : inner))
		: {...(value as object), [name]: repathd((value as Readonly<Record<string, unknown>>)[name], rest, by)};
}
