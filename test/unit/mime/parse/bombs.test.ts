import {Readable} from 'node:stream';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {apiClient} from '../../../../src/client/index.js';
import {bombs} from '../../../helpers/bombs.js';
import {Tinbox} from '../../../helpers/tinbox.js';
import {sharedParser, sourceOf, startParser} from '../test-parser.js';

let tinbox: Tinbox;
beforeAll(async () => {
	tinbox = await Tinbox.open();
});
afterAll(async () => tinbox.close());

/** Has deadlines that only an endless task exceeds. */
const parser = sharedParser({deadlineMs: 20_000, headDeadlineMs: 20_000});

test('very deep HTML is converted to text', async () => {
	const mail = `Subject: deep\r\nContent-Type: text/html\r\n\r\n${'<div>'.repeat(100_000)}x`;
	expect(await parser.read('ada', sourceOf(mail))).toMatchObject({text: 'x', warnings: []});
});

test('the first parts of a mail with more than 1,000 parts are read', async () => {
	const parts = `--b\r\nContent-Type: text/plain\r\n\r\n${'x'.repeat(1000)}\r\n`.repeat(1200);
	const content = await parser.read(
		'ada',
		sourceOf(`Subject: many\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts}`),
	);
	expect(content.headers[0]).toEqual({name: 'Subject', value: 'many'});
	expect(content.text).toMatch(/^x{1000}\nx{1000}\n/);
	expect(content.warnings).toEqual(['Only a part of the mail could be parsed: it has more than 1,000 parts.']);
});

test('a mail with more than 1,000 parts in one chunk loses its last parts', async () => {
	const parts = '--b\r\n\r\nx\r\n'.repeat(1200);
	const mail = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts}`;
	const {text, warnings} = await parser.read('ada', sourceOf(mail, 1024 * 1024));
	expect(text.split('\n').length).toBe(999);
	expect(warnings).toEqual(['Only a part of the mail could be parsed: it has more than 1,000 parts.']);
});

test('parts are read until their header sections exceed 1 MiB in total', async () => {
	const part = `--b\r\nX-Flood: ${'x'.repeat(10_000)}\r\n\r\nx\r\n`;
	const mail = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(200)}`;
	const {text, warnings} = await parser.read('ada', sourceOf(mail));
	expect(text.split('\n').length).toBe(Math.floor((1024 * 1024) / (part.length - '--b\r\nx\r\n'.length)));
	expect(warnings).toEqual([
		'Only a part of the mail could be parsed: the header sections of its parts are longer than 1 MiB.',
	]);
});

test('parts nested more than 100 levels deep become one attachment', async () => {
	const opening = (depth: number) => `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n`;
	const nested = (levels: number) =>
		[
			'Subject: deep\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nouter\r\n--b\r\n',
			...Array.from({length: levels - 1}, (_, depth) => opening(depth)),
			'\r\ninner\r\n',
			...Array.from({length: levels - 1}, (_, depth) => `--b${levels - 2 - depth}--\r\n`),
			'--b--\r\n',
		].join('');
	expect(await parser.read('ada', sourceOf(nested(100)))).toMatchObject({text: 'outer\ninner', warnings: []});
	expect(await parser.read('ada', sourceOf(nested(101)))).toMatchObject({
		text: 'outer',
		attachments: [{contentType: 'application/octet-stream', size: '--b99\r\n\r\ninner\r\n--b99--'.length}],
		warnings: ['The mail has parts nested more than 100 levels deep. They are kept together as one attachment.'],
	});
});

test.each([
	['one endless field', `Subject: flood\r\nX-Flood: ${'x'.repeat(3_000_000)}`],
	['endless fields', `Subject: flood\r\n${'X-Flood: x\r\n'.repeat(300_000)}`],
	['endless folds', `Subject: flood\r\nX-Flood:${'\r\n x'.repeat(500_000)}`],
])('the start of a header section of %s is read', async (_name, mail) => {
	const {headers, warnings} = await parser.read('ada', sourceOf(mail));
	expect(headers[0]).toEqual({name: 'Subject', value: 'flood'});
	expect(warnings).toEqual([
		'Only the header section of the mail could be parsed: a header section in it is longer than 1 MiB.',
	]);
});

test.each([
	[
		'nested multiparts',
		Array.from(
			{length: 900},
			(_, depth) => `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n`,
		).join(''),
	],
	['encoded words', `Subject: ${'=?utf-8?B?'.repeat(30_000)}\r\n\r\n`],
	['addresses', `From: ${'<"a@'.repeat(50_000)}\r\nCc: ${'x:'.repeat(50_000)}\r\n\r\n`],
	['parameters', `Content-Type: text/plain; ${'a*0="x"; '.repeat(50_000)}\r\n\r\n`],
	['a million parts', `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\n'.repeat(1_000_000)}`],
	['blank lines', '\r\n'.repeat(500_000)],
	['one line', 'x'.repeat(5_000_000)],
])('a bomb of %s is parsed within the deadline', async (_name, mail) => {
	const [content, summary] = await Promise.all([
		parser.read('ada', sourceOf(mail)),
		parser.summarize('ada', Buffer.from(mail)),
	]);
	expect(content.warnings.filter(warning => warning.includes('took longer'))).toEqual([]);
	expect(summary.isUnread).toBeUndefined();
});

test.each(Object.entries(bombs))('a mail of %s is stored unchanged and displayed', async (name, make) => {
	const {key} = await tinbox.user(name.replaceAll(/\W/g, '-'));
	const {messages, inboxes} = apiClient({url: tinbox.url, apiKey: key});
	const {id, email_address} = await inboxes.create();
	const sent = Buffer.from(make(), 'latin1');
	await tinbox.deliver(email_address, sent);
	const [listed] = await messages.list(id);
	const [shown, raw] = await Promise.all([messages.get(id, listed?.id ?? ''), messages.raw(id, listed?.id ?? '')]);
	expect(shown).toMatchObject({id: listed?.id, to: email_address, size: sent.length});
	expect(sent.equals(raw)).toBe(true);
});

test('a text of 25 MB with invalid bytes in short lines is read within the memory limit', async () => {
	const mail = Buffer.from(`Content-Type: text/plain; charset=utf-8\r\n\r\n${'x\xe9\r\n'.repeat(6_000_000)}`, 'latin1');
	const {text, warnings} = await parser.read('ada', Readable.from([mail], {objectMode: false}));
	expect(text.slice(0, 3)).toBe('xé\n');
	expect(warnings.filter(warning => warning.includes('could be parsed'))).toEqual([]);
});

test('a mail that exceeds the deadline has its header fields only, and the next mail is read', async () => {
	const parser = startParser({deadlineMs: 500});
	const stalled = new Readable({read() {}});
	stalled.push('Subject: slow\r\nX-Other: y\r\n\r\nbody');
	const [slow, next] = await Promise.all([
		parser.read('ada', stalled),
		parser.read('ada', sourceOf('Subject: next\r\n\r\nnext')),
	]);
	expect(slow).toEqual({
		headers: [
			{name: 'Subject', value: 'slow'},
			{name: 'X-Other', value: 'y'},
		],
		text: '',
		html: '',
		attachments: [],
		codes: [],
		links: [],
		warnings: ['Only the header section of the mail could be parsed: it took longer than 0.5 s.'],
	});
	expect(next).toMatchObject({text: 'next', warnings: []});
	expect(stalled.destroyed).toBe(true);
});

test('a summary does not wait for a running parse', async () => {
	const stalled = new Readable({read() {}});
	const reading = parser.read('ada', stalled);
	expect(await parser.summarize('ada', Buffer.from('Subject: quick\r\n\r\n'))).toMatchObject({subject: 'quick'});
	const long = `Subject: quick ${'x'.repeat(10_000)}`;
	expect(await parser.summarize('ada', Buffer.from(long))).toMatchObject({subject: long.slice(9, 9 + 2048)});
	stalled.push(null);
	expect(await reading).toMatchObject({text: ''});
});

test('stalled mails of one owner do not delay other owners', async () => {
	const parser = startParser();
	const stalled = [1, 2, 3].map(() => new Readable({read() {}}));
	const reading = stalled.map(source => parser.read('ada', source));
	expect(await parser.read('bob', sourceOf('Subject: x\r\n\r\nfor bob'))).toMatchObject({text: 'for bob'});
	for (const source of stalled) {
		source.push(null);
	}

	expect(await Promise.all(reading)).toMatchObject([{text: ''}, {text: ''}, {text: ''}]);
});

test('an expensive header section delays only its owner', async () => {
	const parser = startParser();
	const ofBob = Buffer.from(`Subject: ${'x'.repeat(10_000)}\r\n\r\n`);
	// Starts a thread for both owners.
	await Promise.all(['ada', 'bob'].map(async owner => parser.summarize(owner, ofBob)));
	const costly = Buffer.from(`From: ${'a:'.repeat(30_000)}\r\n\r\n`);
	let read = 0;
	const ofAda = Array.from({length: 6}, async () => {
		await parser.summarize('ada', costly);
		read++;
	});
	expect(await parser.summarize('bob', ofBob)).toMatchObject({subject: 'x'.repeat(2048)});
	expect(read).toBeLessThan(ofAda.length);
	await Promise.all(ofAda);
});

test('stopping the parser aborts running tasks and rejects new ones', async () => {
	const parser = startParser();
	const stalled = new Readable({read() {}});
	const calls = [parser.read('ada', stalled), parser.read('ada', sourceOf('Subject: x\r\n\r\n'))];
	const outcomes = Promise.allSettled(calls);
	await parser.stop();
	for (const outcome of await outcomes) {
		expect(outcome).toMatchObject({status: 'rejected', reason: {code: 'stopping'}});
	}

	expect(stalled.destroyed).toBe(true);
	await expect(parser.summarize('ada', Buffer.from(`Subject: ${'x'.repeat(10_000)}`))).rejects.toMatchObject({
		code: 'stopping',
	});
});
