import {type AddressObject, simpleParser} from 'mailparser';
import {expect, test} from 'vitest';
import {fixture, sharedParser} from './mime-test.js';

const parser = sharedParser();

const files = [
	'plain.eml',
	'encoded-words.eml',
	'alternative.eml',
	'attachments.eml',
	'broken.eml',
	'bare-line-feeds.eml',
	'no-header.eml',
	'hostile.eml',
];

test('a summary has what lists and webhooks show', async () => {
	const heads = [await fixture('plain.eml'), await fixture('encoded-words.eml'), Buffer.from('no mail at all')];
	expect(await parser.summarize(heads)).toEqual([
		{
			from: 'ann@example.test',
			cc: ['bob@example.test', 'red@example.test'],
			replyTo: ['answers@example.test'],
			subject: 'Your code',
			messageId: 'plain-1@example.test',
		},
		{
			from: 'zoe@example.test',
			cc: ['ann@example.test', 'bob@example.test'],
			replyTo: [],
			subject: 'Schöne Grüße 😀',
			messageId: 'no-brackets@example.test',
		},
		{from: '', cc: [], replyTo: [], subject: '', messageId: ''},
	]);
	expect(await parser.summarize([])).toEqual([]);
});

test.each(files)('the summary of %s says what mailparser says', async file => {
	const mail = await fixture(file);
	const {from, cc, replyTo, subject, messageId} = await simpleParser(mail);
	expect(await parser.summarize([mail])).toEqual([
		{
			from: addresses(from)[0] ?? '',
			cc: addresses(cc),
			replyTo: addresses(replyTo),
			subject: subject ?? '',
			messageId: messageId?.slice(1, -1) ?? '',
		},
	]);
});

test('header fields in 8-bit characters that are not UTF-8 are read as Windows-1252', async () => {
	const [summary] = await parser.summarize([await fixture('8-bit.eml')]);
	expect(summary).toMatchObject({from: 'jose@example.test', subject: 'Café'});
});

test('only the header section counts, even if the first line is empty', async () => {
	const heads = ['\r\nSubject: body', '\nSubject: body', 'X: y\r\n\r\nSubject: body', 'X: y\n\nSubject: body\r\n\r\n'];
	const summaries = await parser.summarize(heads.map(head => Buffer.from(head)));
	expect(summaries.map(({subject}) => subject)).toEqual(['', '', '', '']);
});

test('a header section without an end is read up to 256 KiB', async () => {
	const head = Buffer.from(`Subject: here\r\nX-Flood: ${'x'.repeat(300_000)}\r\nMessage-ID: <too-far@example.test>`);
	expect(await parser.summarize([head])).toMatchObject([{subject: 'here', messageId: ''}]);
});

test('heads are only read, not taken away', async () => {
	const head = Buffer.from('Subject: mine\r\n\r\n');
	await parser.summarize([head]);
	expect(head.toString()).toBe('Subject: mine\r\n\r\n');
});

function addresses(fields: AddressObject | AddressObject[] | undefined): string[] {
	return [fields ?? []]
		.flat()
		.flatMap(({value}) => value)
		.flatMap(({address, group}) => [address ?? '', ...(group ?? []).map(member => member.address ?? '')])
		.filter(address => address !== '');
}
