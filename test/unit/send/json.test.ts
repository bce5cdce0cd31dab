import {expect, test} from 'vitest';
import {SendError} from '../../../src/domain/mail/sending.js';
import {readJson} from '../../../src/send/json.js';
import {providers} from '../../../src/send/providers.js';
import {withTimeLimit} from '../../helpers/time-limit.js';

const maxValues = 199_000;

const repeat = (value: (index: number) => string, count = maxValues) =>
	Array.from({length: count}, (_, index) => value(index)).join();

function failureOf(body: string, options?: Parameters<typeof readJson>[1]) {
	try {
		readJson(Buffer.from(body), options);
		return undefined;
	} catch (error) {
		return error instanceof SendError ? error.failure : error;
	}
}

test('a JSON body above the maximum number of values is rejected, and separators within strings do not count', () => {
	expect(failureOf(`[${repeat(String)}]`)).toBeUndefined();
	expect(failureOf(`[${repeat(String, 201_000)}]`)).toMatchObject({type: 'malformed'});
	expect(failureOf(`{${repeat(index => `"f${index}":{}`, 101_000)}}`)).toMatchObject({type: 'malformed'});
	expect(failureOf(JSON.stringify([',[{\\",'.repeat(200_000)]))).toBeUndefined();
});

test.each([',', ', '])(
	'a list of bytes separated by "%s" does not count if the provider supports byte lists',
	comma => {
		const bytes = Array.from({length: 300_000}, (_, index) => index % 256).join(comma);
		expect(failureOf(`{"content":[${bytes}]}`, {hasByteLists: true})).toBeUndefined();
		expect(failureOf(`{"content":[${bytes}]}`)).toMatchObject({type: 'malformed'});
	},
);

test.each(['__proto__', '\\u005f_proto__', 'constructor', 'c\\u006fnstructor', 'prototyp\\u0065'])(
	'the field "%s" is rejected at any depth',
	name => {
		const body = `{"a":[{"${name}":{"from":1}}]}`;
		expect(failureOf(body)).toMatchObject({type: 'malformed', detail: expect.stringContaining('is not allowed')});
	},
);

const person = '{"email":"a@b.example"}';
const sendgrid = (more: string, whom = '', text = '#1'.repeat(5000)) =>
	`{"personalizations":[{"to":[${person}]${whom}}],"from":${person},"subject":"a","content":[{"type":"text/plain","value":"${text}"}],${more}}`;
const ses = (more: string, to = '"a@b.example"') =>
	`{"FromEmailAddress":"a@b.example","Destination":{"ToAddresses":[${to}]},"Content":{"Simple":{"Subject":{"Data":"a"},"Body":{}}},${more}}`;
const postmark = (more: string) => `{"From":"a@b.example","To":"a@b.example","TextBody":"a",${more}}`;
const resend = (more: string) => `{"from":"a@b.example","to":"a@b.example","text":"a","subject":"a",${more}}`;

test.each([
	['resend', '/emails', `{${repeat(index => `"f${index}":1`)}}`],
	['resend', '/emails', resend(`"headers":{${repeat(index => `"X-${index}":"a"`)}}`)],
	['resend', '/emails', `{"to":[${repeat(() => '1', 5_000_000)}]}`],
	['ses', '/v2/email/outbound-emails', `{${repeat(index => `"f${index}":1`)}}`],
	[
		'ses',
		'/v2/email/outbound-emails',
		ses(
			'"a":1',
			repeat(() => '1'),
		),
	],
	['sendgrid', '/v3/mail/send', sendgrid(`"sections":{${repeat(index => `"#${index}":"a"`)}}`)],
	[
		'sendgrid',
		'/v3/mail/send',
		sendgrid(
			`"sections":{${repeat(index => `"#${(index * 7919).toString(2)}z":"a"`, 50_000)}}`,
			'',
			'#10110'.repeat(200_000),
		),
	],
	['sendgrid', '/v3/mail/send', sendgrid(`"headers":{${repeat(index => `"X-${index}":"a"`)}}`)],
	['sendgrid', '/v3/mail/send', sendgrid(`"categories":[${repeat(index => `"${index}"`)}]`)],
	['postmark', '/email', postmark(`"Attachments":[${repeat(() => '{}', 99_000)}]`)],
	['tinbox', '/send', `{${repeat(index => `"f${index}":1`)}}`],
] as const)('%s%s reads the maximum number of values in linear time', async (name, path, text) => {
	const provider = await providers[name]?.();
	const route = provider?.routes.find(one => one.path === path);
	const request = {method: 'POST', path, params: {}, query: new URLSearchParams(), headers: {}, now: new Date()};
	const body = Buffer.from(text);
	expect(
		withTimeLimit(() => {
			try {
				return route?.read({...request, body}) ?? 'no route';
			} catch (error) {
				return error;
			}
		}),
	).not.toBe('no route');
});
