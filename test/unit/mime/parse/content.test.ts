import {createHash} from 'node:crypto';
import {Readable} from 'node:stream';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Content} from '../../../../src/domain/mail/message.js';
import {fixture, sharedParser, sourceOf} from '../test-parser.js';

const parser = sharedParser();

const cutOff = 'The mail is truncated or malformed: its closing boundary is missing.';
const undeclared = 'A text has non-ASCII characters but declares no character set. It was decoded as windows-1252.';
const bareLineFeeds = 'The mail has line feeds without a carriage return, which some servers reject.';

test.each<{file: string} & Omit<Content, 'headers' | 'codes' | 'links'>>([
	{
		file: 'plain.eml',
		text: 'Your code is 123456 – valid for 10 minutes.\n',
		html: '',
		attachments: [],
		warnings: [],
	},
	{file: 'encoded-words.eml', text: 'déjà vu\n', html: '', attachments: [], warnings: []},
	{file: 'alternative.eml', text: 'Welcome!', html: '<h1>Welcome!</h1>', attachments: [], warnings: []},
	{
		file: 'html-only.eml',
		text: 'Verify your address\n\nUse 123456 or this link [https://app.example.test/verify?token=a1].\n\nhttps://app.example.test',
		html: expect.stringMatching(/^<html>[\s\S]*<\/html>\n$/),
		attachments: [],
		warnings: [],
	},
	{
		file: 'attachments.eml',
		text: 'Invoice',
		html: '<p>Invoice <img src="cid:logo@example.test"></p>',
		attachments: [
			{id: '1', filename: '', contentType: 'image/png', size: 8, contentId: 'logo@example.test', disposition: 'inline'},
			{
				id: '2',
				filename: 'Rechnung März.pdf',
				contentType: 'application/pdf',
				size: 9,
				contentId: null,
				disposition: 'attachment',
			},
			{
				id: '3',
				filename: '../../etc/passwd',
				contentType: 'text/plain',
				size: 18,
				contentId: null,
				disposition: 'attachment',
			},
			{id: '4', filename: '', contentType: 'message/rfc822', size: 66, contentId: null, disposition: null},
		],
		warnings: [],
	},
	{file: 'broken.eml', text: 'The connection broke he', html: '', attachments: [], warnings: [cutOff]},
	{file: '8-bit.eml', text: 'Un café €\n', html: '', attachments: [], warnings: [undeclared]},
	{file: 'bare-line-feeds.eml', text: 'Hello\n', html: '', attachments: [], warnings: [bareLineFeeds]},
	{
		file: 'no-header.eml',
		text: 'Just a text, sent by hand\nwith two lines.\n',
		html: '',
		attachments: [],
		warnings: ['The mail has no header section.'],
	},
	{
		file: 'hostile.eml',
		text: '',
		html: '',
		attachments: [
			{
				id: '1',
				filename: '__proto__',
				contentType: 'application/octet-stream',
				size: 1,
				contentId: null,
				disposition: 'attachment',
			},
		],
		warnings: [],
	},
])('$file is parsed into its text, HTML, attachments and warnings', async ({file, ...content}) => {
	const mail = await fixture(file);
	expect(await parser.read('ada', sourceOf(mail))).toMatchObject(content);
	expect(await parser.read('ada', sourceOf(mail, 1))).toMatchObject(content);
});

test('header fields keep their order and case, and their encoded words are decoded', async () => {
	const {headers} = await parser.read('ada', sourceOf(await fixture('encoded-words.eml')));
	expect(headers).toEqual([
		{name: 'FROM', value: 'Zoë <zoe@example.test>'},
		{name: 'subject', value: 'Schöne Grüße 😀'},
		{name: 'X-Note', value: 'déjà vu'},
		{name: 'Message-Id', value: 'no-brackets@example.test'},
		{name: 'Cc', value: 'Friends: ann@example.test, bob@example.test;'},
		{name: 'Content-Type', value: 'text/plain; charset=iso-8859-1'},
		{name: 'Content-Transfer-Encoding', value: 'quoted-printable'},
	]);
});

test('hostile header fields do not affect objects or other fields', async () => {
	const {headers} = await parser.read('ada', sourceOf(await fixture('hostile.eml')));
	expect(headers).toContainEqual({name: 'Subject', value: 'one\r\nX-Injected: yes\x1b[2J'});
	expect(headers).toContainEqual({name: '__proto__', value: 'polluted'});
	expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

describe('attachments', () => {
	test('are read unchanged by id', async () => {
		const mail = await fixture('attachments.eml');
		const ids = ['1', '2', '3', '4', '5', '0', '__proto__'];
		const found = await Promise.all(ids.map(id => parser.attachment('ada', sourceOf(mail), id)));
		expect(found.map(bytes => bytes?.toString('latin1'))).toEqual([
			'\x89PNG\r\n\x1a\n',
			'%PDF-1.7\n',
			'not a text, a file',
			'From: other@example.test\r\nSubject: forwarded\r\n\r\nHello from inside.',
			undefined,
			undefined,
			undefined,
		]);
	});

	test('that are large have the correct size and content', async () => {
		const content = Buffer.alloc(3_000_000, 'The quick brown fox. ');
		const lines = content.toString('base64').replace(/.{76}/g, '$&\r\n');
		const mail = `Content-Type: application/zip\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines}\r\n`;
		expect(await parser.read('ada', sourceOf(mail))).toMatchObject({attachments: [{size: 3_000_000}], warnings: []});
		const bytes = await parser.attachment('ada', sourceOf(mail), '1');
		expect(digest(bytes)).toBe(digest(content));
	});
});

test('codes and links are extracted from the subject and the HTML', async () => {
	const mail = `Subject: Your verification code: 123456\r\n${await fixture('html-only.eml')}`;
	const {codes, links} = await parser.read('ada', sourceOf(mail));
	expect(codes).toEqual(['123456']);
	expect(links.map(({url}) => url)).toContain('https://app.example.test/verify?token=a1');
});

test('a failing source rejects its call only', async () => {
	const failing = new Readable({read: () => failing.destroy(new Error('EIO: the disk is broken'))});
	await expect(parser.read('ada', failing)).rejects.toThrow('EIO: the disk is broken');
	expect(await parser.read('ada', sourceOf('Subject: x\r\n\r\nx'))).toMatchObject({text: 'x', warnings: []});
});

test('any bytes are parsed without an error', async () => {
	const words = fc.constantFrom(
		...['From: ', 'Subject: ', 'Content-Type: multipart/mixed; boundary=b', 'Content-Type: text/html; charset=x'],
		...['\r\n', '\n', '\r\n\r\n', '--b', '--b--', '=?utf-8?B?', '?=', '<', '>', '@', '\0', '\u00e9', '"', ';', ' '],
		...['Content-Transfer-Encoding: base64', 'Content-Disposition: attachment', '&#x', '<div>', '__proto__'],
	);
	const mails = fc.oneof(
		fc.uint8Array({maxLength: 500}).map(bytes => Buffer.from(bytes)),
		fc.array(words, {maxLength: 40}).map(parts => Buffer.from(parts.join(''), 'latin1')),
	);
	await fc.assert(
		fc.asyncProperty(mails, async mail => {
			const summary = await parser.summarize('ada', mail);
			expect(summary).toMatchObject({
				from: expect.any(String),
				to: expect.any(Array),
				cc: expect.any(Array),
				replyTo: expect.any(Array),
				subject: expect.any(String),
				messageId: expect.any(String),
			});
			expect(await parser.read('ada', sourceOf(mail))).toEqual({
				headers: expect.any(Array),
				text: expect.any(String),
				html: expect.any(String),
				attachments: expect.any(Array),
				codes: expect.any(Array),
				links: expect.any(Array),
				warnings: expect.any(Array),
			});
		}),
		{numRuns: 200},
	);
});

function digest(bytes: Buffer | undefined): string | undefined {
	return bytes && createHash('sha256').update(bytes).digest('hex');
}
