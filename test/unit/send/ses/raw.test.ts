import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {SendRequest} from '../../../../src/send/provider.js';
import {actionRequest, emailRequest, rawText, readOne, refusalOf} from './requests.js';

const source = [
	'From: Ann <ann@example.com>',
	'To: a@inbox.test, Group: b@inbox.test;',
	'Cc: =?UTF-8?Q?J=C3=BCrgen?= <c@inbox.test>',
	'Bcc: d@inbox.test,',
	' e@inbox.test',
	'Message-ID: <mine@example.com>',
	'Date: Mon, 1 Jan 2001 00:00:00 +0000',
	'Return-Path: bounces@example.com',
	'Subject: a folded',
	'\tsubject',
	'X-SES-CONFIGURATION-SET: main',
	'X-SES-MESSAGE-TAGS: kind=welcome, lang=de',
	'',
	'Bcc: this is text\r\n',
].join('\r\n');

function rawEmail(mail: string | Buffer, more: object = {}): SendRequest {
	return emailRequest({...more, Content: {Raw: {Data: Buffer.from(mail).toString('base64')}}});
}

describe.each([
	['version 2', (mail: string) => rawEmail(mail)],
	[
		'version 1',
		(mail: string) => actionRequest('SendRawEmail', {'RawMessage.Data': Buffer.from(mail).toString('base64')}),
	],
])('a raw mail of SES %s', (_version, requestOf) => {
	test('has the recipients of its header fields, and its SES fields are removed', async () => {
		const mail = await readOne(requestOf(source));
		expect(mail).toMatchObject({
			envelope: {
				from: 'bounces@example.com',
				to: ['a@inbox.test', 'b@inbox.test', 'c@inbox.test', 'd@inbox.test', 'e@inbox.test'],
			},
			tags: [
				{name: 'kind', value: 'welcome'},
				{name: 'lang', value: 'de'},
			],
			metadata: {ConfigurationSetName: 'main'},
			warnings: [],
		});
		expect(mail.template).toBeUndefined();
		expect(rawText(mail)).toBe(
			[
				`Message-ID: <${mail.id}@eu-west-1.amazonses.com>`,
				'Date: Mon, 23 Nov 2026 09:00:00 +0000',
				'From: Ann <ann@example.com>',
				'To: a@inbox.test, Group: b@inbox.test;',
				'Cc: =?UTF-8?Q?J=C3=BCrgen?= <c@inbox.test>',
				'Subject: a folded',
				'\tsubject',
				'',
				'Bcc: this is text\r\n',
			].join('\r\n'),
		);
	});

	test.each([
		['no From', 'To: a@inbox.test\r\n\r\nHi', "Missing required header 'From'."],
		['no recipient', 'From: a@example.com\r\n\r\nHi', "Missing required header 'To'."],
		['no content', '', "Missing required header 'From'."],
		[
			'a duplicate field',
			'From: a@example.com\r\nSubject: 1\r\nSubject: 2\r\nTo: a@inbox.test\r\n\r\n',
			"Duplicate header 'Subject'.",
		],
		[
			'a field without a name',
			'From: a@example.com\r\n: b\r\nTo: a@inbox.test\r\n\r\n',
			'Empty header names are illegal.',
		],
	])('is rejected with %s', async (_title, mail, message) => {
		const {status, body} = await refusalOf(requestOf(mail));
		expect(status).toBe(400);
		expect(JSON.stringify(body)).toContain(message);
	});
});

test('the sender and the recipients of an SES request override the fields of the raw mail', async () => {
	const mail = await readOne(
		rawEmail('To: x@inbox.test\n\nHi\n', {
			FromEmailAddress: 'Bob <bob@example.com>',
			FeedbackForwardingEmailAddress: 'back@example.com',
			Destination: {ToAddresses: ['a@inbox.test'], BccAddresses: ['b@inbox.test']},
			EmailTags: [{Name: 'a', Value: 'b'}],
			ReplyToAddresses: ['r@example.com'],
		}),
	);
	expect(mail).toMatchObject({
		envelope: {from: 'back@example.com', to: ['a@inbox.test', 'b@inbox.test']},
		tags: [{name: 'a', value: 'b'}],
		warnings: [expect.stringMatching(/^"ReplyToAddresses" has no effect/)],
	});
	expect(rawText(mail)).toMatch(/\nFrom: Bob <bob@example.com>\nTo: x@inbox.test\n\nHi\n$/);
});

test('version 1 of SES accepts a list of destinations for a raw mail', async () => {
	const {envelope} = await readOne(
		actionRequest('SendRawEmail', {
			Source: 'bob@example.com',
			'Destinations.member.1': 'a@inbox.test',
			'Destinations.member.2': 'b@inbox.test',
			'RawMessage.Data': Buffer.from('From: x@example.com\r\n\r\nHi').toString('base64'),
		}),
	);
	expect(envelope).toEqual({from: 'bob@example.com', to: ['a@inbox.test', 'b@inbox.test']});
});

test('the body of any raw SES mail is unchanged', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom('\r\n', '\n'),
			fc.array(fc.constantFrom('Subject: ä', 'X-A: b', 'Bcc: z@inbox.test', 'X-B: c\n d', 'Received: x')),
			fc.uint8Array(),
			async (lineEnd, lines, body) => {
				const once = [...new Set(lines)];
				const head = ['From: a@example.com', 'To: a@inbox.test', ...once].join(lineEnd);
				const mail = Buffer.concat([Buffer.from(head + lineEnd + lineEnd), Buffer.from(body)]);
				const sent = rawText(await readOne(rawEmail(mail)));
				expect(sent.endsWith(lineEnd + lineEnd + Buffer.from(body).toString('latin1'))).toBe(true);
				expect(sent).not.toMatch(/^Bcc:.*inbox/m);
				expect(sent).toContain('From: a@example.com');
			},
		),
	);
});
