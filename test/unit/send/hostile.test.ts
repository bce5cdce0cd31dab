import fc from 'fast-check';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {SendProvider} from '../../../src/contract/constants.js';
import {type Person, Tinbox} from '../../helpers/tinbox.js';
import {openMailbox} from './conformance/mailbox.js';
import {type AskedMail, mails} from './conformance/mails.js';
import {post, rawRequests} from './conformance/raw.js';
import {sdks} from './conformance/sdks.js';

let tinbox: Tinbox;
let ann: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	ann = await tinbox.user('ann');
});
afterAll(async () => tinbox.close());

const [plain] = mails as [AskedMail];

/** In each text that goes into a header. */
const injections = (text: string): ReadonlyArray<Partial<AskedMail> & {readonly title: string}> => [
	{title: 'the name of the sender', from: {name: text, address: 'shop@shop.example'}},
	{title: 'the address of the sender', from: {name: '', address: `shop@shop.example${text}`}},
	{title: 'the name of a recipient', to: [{name: text, address: 'ann@example.org'}]},
	{title: 'the address of a recipient', to: [{name: '', address: `ann@example.org${text}`}]},
	{title: 'the address of a copy', cc: [{name: '', address: `bob@example.org${text}`}]},
	{title: 'the address of a blind copy', bcc: [`bob@example.org${text}`]},
	{title: 'whom to answer', replyTo: [{name: text, address: 'help@shop.example'}]},
	{title: 'the subject', subject: `Hello${text}`},
	{title: 'a header', headers: {'X-Order': `1${text}`}},
	{title: 'the name of a header', headers: {[`X-Order${text}`]: '1'}},
	{title: 'the name of a file', files: [file({filename: `a${text}.txt`})]},
	{title: 'the type of a file', files: [file({contentType: `text/plain${text}`})]},
	{title: 'the id of a picture', files: [file({contentId: `a${text}`})]},
	{title: 'a tag', tags: [{name: 'a', value: `b${text}`}]},
	{title: 'metadata', metadata: {a: `b${text}`}},
];

function file(difference: Partial<AskedMail['files'][number]>): AskedMail['files'][number] {
	return {filename: 'a.txt', contentType: 'text/plain', content: 'AAAA', contentId: null, ...difference};
}

const breaks = [
	'\r\nX-Injected: yes',
	'\nX-Injected: yes',
	'\rX-Injected: yes',
	'\r\n\r\nX-Injected: yes',
	'\0\u2028\u0085\nX-Injected: yes',
];

describe.each(sdks)('$name brings no line of its own into the head of a mail by', ({provider, send}) => {
	test.each(injections(''))('$title', async ({title}) => {
		const mailbox = await openMailbox(tinbox, ann);
		for (const text of breaks) {
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

describe.each(asJson)('%s', (provider, requestOf) => {
	test.each([
		['nothing', ''],
		['no JSON', '{"from": '],
		['null', 'null'],
		['a list', '[]'],
		['a list of lists', '[[[]]]'],
		['a text', '"from"'],
		['a number', '1e999'],
		['deep nesting', '['.repeat(200_000)],
		['deep nesting that ends', `{"from": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
		['deep objects', `${'{"from":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
		['__proto__', '{"__proto__": {"from": "a@b.example", "to": "c@d.example"}}'],
		['constructor', '{"constructor": {"prototype": {"from": "a@b.example"}}}'],
		['a million fields', `{${Array.from({length: 1_000_000}, (_, index) => `"f${index}":1`).join()}}`],
		['a million recipients', `{"to": [${'"a@b.example",'.repeat(1_000_000)}"a@b.example"]}`],
		['wrong UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
		['a BOM', '\ufeff{}'],
	])('answers %s with a 4xx', async (_, body) => {
		const mailbox = await openMailbox(tinbox, ann);
		const response = await post(mailbox.account(provider), requestOf(mailbox.sendKey), body);
		expect([response.status, await response.text()]).toEqual([
			expect.toSatisfy(status => status >= 400 && status < 500),
			expect.any(String),
		]);
		expect(await mailbox.summaries()).toEqual([]);
	});

	test('never answers with 5xx, whatever stands in a field', async () => {
		const mailbox = await openMailbox(tinbox, ann);
		const {body, ...request} = requestOf(mailbox.sendKey);
		const places = placesIn(body);
		await fc.assert(
			fc.asyncProperty(fc.constantFrom(...places), hostile, async (place, value) => {
				const response = await post(
					mailbox.account(provider),
					{...request, body},
					JSON.stringify(replaced(body, place, value)),
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

/** Texts that mean something to somebody, and any JSON. */
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

type Place = ReadonlyArray<string>;

/** Every place in it, also those of what has others in it. */
function placesIn(value: unknown, place: Place = []): readonly Place[] {
	const within = typeof value === 'object' && value !== null ? Object.entries(value) : [];
	return [place, ...within.flatMap(([name, inner]) => placesIn(inner, [...place, name]))];
}

function replaced(value: unknown, [name, ...rest]: Place, by: unknown): unknown {
	if (name === undefined) {
		return by;
	}

	return Array.isArray(value)
		? value.map((inner, index) => (String(index) === name ? replaced(inner, rest, by) : inner))
		: {...(value as object), [name]: replaced((value as Readonly<Record<string, unknown>>)[name], rest, by)};
}
