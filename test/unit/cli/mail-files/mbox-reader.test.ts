import {Readable} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {mailsInMbox, mboxEntry} from '../../../../src/cli/mail-files.js';

const defaultMaxBytes = 1_000_000;
const separator = 'From ann@example.com Thu Jan  1 00:00:00 1970';

async function mailsOf(chunks: readonly (string | Buffer)[], maxBytes = defaultMaxBytes) {
	const mails: Array<{readonly size: number; readonly text: string | undefined}> = [];
	for await (const {size, source} of mailsInMbox(Readable.from(chunks.map(chunk => Buffer.from(chunk))), maxBytes)) {
		mails.push({size, text: source?.toString('latin1')});
	}

	return mails;
}

const textsOf = async (...chunks: readonly string[]) => (await mailsOf(chunks)).map(({text}) => text);

test('an mbox round-trips byte for byte in chunks of any size', async () => {
	const line = fc.constantFrom(
		separator,
		'From ',
		'>From x',
		'>>From ',
		' From ',
		'>',
		'Content-Length: 3',
		'text',
		'',
	);
	const mail = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n'))).map(lines => lines.flat().join(''));
	await fc.assert(
		fc.asyncProperty(fc.array(mail, {minLength: 1}), fc.integer({min: 1, max: 50}), async (mails, length) => {
			const postmark = {sender: '', receivedAt: new Date(0)};
			const entries = mails.map(text => buffer(mboxEntry(postmark, Readable.from([Buffer.from(text)]))));
			const all = Buffer.concat(await Promise.all(entries));
			const chunks = Array.from({length: Math.ceil(all.length / length)}, (_, index) =>
				all.subarray(index * length, (index + 1) * length),
			);
			expect((await mailsOf(chunks)).map(({text}) => text)).toEqual(mails);
		}),
	);
});

describe('the mbox reader accepts', () => {
	test('CRLF line ends', async () => {
		expect(await textsOf(`${separator}\r\nA: 1\r\n\r\nx\r\n\r\n${separator}\r\nB: 2\r\n\r\ny\r\n`)).toEqual([
			'A: 1\r\n\r\nx\r\n',
			'B: 2\r\n\r\ny\r\n',
		]);
	});

	test('a missing empty line at the end and empty lines at the start', async () => {
		expect(await textsOf(`\n\n${separator}\nA: 1\n\nx`)).toEqual(['A: 1\n\nx']);
	});

	test('unquoted "From " lines inside a text', async () => {
		const text = 'A: 1\n\nFrom me to you\n\nFrom now on\n>From there\n';
		expect(await textsOf(`${separator}\n${text}\n${separator}\nB: 2\n\n>From x\n`)).toEqual([text, 'B: 2\n\nFrom x\n']);
	});

	test('a paragraph that starts with "From " and contains a time of day', async () => {
		const text = 'A: 1\n\nHi\n\nFrom 10:00 on we meet, and from Monday 9:00.\n';
		expect(await textsOf(`${separator}\n${text}\n${separator}\nB: 2\n\nx\n`)).toEqual([text, 'B: 2\n\nx\n']);
	});

	test.each(['x Thu Jan  1 00:00:00 1970', '- Thu Jan 01 0:00:00 +0000 1970', '1@xxx Thu, 1 Jan 1970 00:00:00 +0000'])(
		'separators like "From %s"',
		async date => {
			expect(await textsOf(`From ${date}\nA: 1\n\nFrom x\n\nFrom y\n\nFrom ${date}\nB: 2\n`)).toHaveLength(2);
		},
	);

	test('separators without a time if the first separator has none', async () => {
		expect(await textsOf('From ann\nA: 1\n\nx\n\nFrom bob\nB: 2\n\ny\n')).toEqual(['A: 1\n\nx\n', 'B: 2\n\ny\n']);
	});

	test('mails without a body and empty mails', async () => {
		expect(await textsOf(`${separator}\nA: 1\n\n${separator}\n\n${separator}\n`)).toEqual(['A: 1\n', '', '']);
	});

	test('an empty file', async () => {
		expect(await textsOf()).toEqual([]);
	});
});

test('the mbox reader ignores a wrong Content-Length', async () => {
	const first = 'A: 1\nContent-Length: 4711\n\nx\n';
	expect(await textsOf(`${separator}\n${first}\n${separator}\nB: 2\n\ny\n`)).toEqual([first, 'B: 2\n\ny\n']);
});

test('the mbox reader reports the size of an oversized mail and reads the next mail', async () => {
	const large = `${separator}\nA: 1\n\n${'x'.repeat(200)}\n${'y\n'.repeat(100)}\n`;
	expect(await mailsOf([large.slice(0, 90), large.slice(90), `${separator}\nB: 2\n`], 100)).toEqual([
		{size: 407, text: undefined},
		{size: 5, text: 'B: 2\n'},
	]);
});

test('the mbox reader rejects other files', async () => {
	await expect(mailsOf(['Subject: Hi\n\nHello\n'])).rejects.toThrow(
		'Not an mbox file: it does not start with "From ".',
	);
});

test('the memory use of a mail with many lines stays proportional to its size', async () => {
	const before = process.memoryUsage().heapUsed;
	let after = 0;
	async function* chunks() {
		yield Buffer.from(`${separator}\nA: 1\n\n`);
		for (let count = 0; count < 10; count++) {
			yield Buffer.alloc(100_000, '\n');
		}

		after = process.memoryUsage().heapUsed;
	}

	for await (const {size} of mailsInMbox(chunks(), 5_000_000)) {
		expect(size).toBe(1_000_005);
	}

	expect(after - before).toBeLessThan(50_000_000);
});
