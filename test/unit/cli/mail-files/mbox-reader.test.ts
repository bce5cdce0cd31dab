import {Readable} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {mailsInMbox, mboxEntry} from '../../../../src/cli/mail-files.js';

const many = 1_000_000;
const begin = 'From ann@example.com Thu Jan  1 00:00:00 1970';

async function mailsOf(pieces: readonly (string | Buffer)[], maxBytes = many) {
	const mails: Array<{readonly size: number; readonly text: string | undefined}> = [];
	for await (const {size, source} of mailsInMbox(Readable.from(pieces.map(piece => Buffer.from(piece))), maxBytes)) {
		mails.push({size, text: source?.toString('latin1')});
	}

	return mails;
}

const textsOf = async (...pieces: readonly string[]) => (await mailsOf(pieces)).map(({text}) => text);

test('what was written is read again, byte for byte, however it comes', async () => {
	const line = fc.constantFrom(begin, 'From ', '>From x', '>>From ', ' From ', '>', 'Content-Length: 3', 'text', '');
	const mail = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n'))).map(lines => lines.flat().join(''));
	await fc.assert(
		fc.asyncProperty(fc.array(mail, {minLength: 1}), fc.integer({min: 1, max: 50}), async (mails, length) => {
			const postmark = {sender: '', receivedAt: new Date(0)};
			const entries = mails.map(text => buffer(mboxEntry(postmark, Readable.from([Buffer.from(text)]))));
			const all = Buffer.concat(await Promise.all(entries));
			const pieces = Array.from({length: Math.ceil(all.length / length)}, (_, index) =>
				all.subarray(index * length, (index + 1) * length),
			);
			expect((await mailsOf(pieces)).map(({text}) => text)).toEqual(mails);
		}),
	);
});

describe('reads what other programs write:', () => {
	test('line ends of Windows', async () => {
		expect(await textsOf(`${begin}\r\nA: 1\r\n\r\nx\r\n\r\n${begin}\r\nB: 2\r\n\r\ny\r\n`)).toEqual([
			'A: 1\r\n\r\nx\r\n',
			'B: 2\r\n\r\ny\r\n',
		]);
	});

	test('no empty line at the end, and empty ones before the beginning', async () => {
		expect(await textsOf(`\n\n${begin}\nA: 1\n\nx`)).toEqual(['A: 1\n\nx']);
	});

	test('lines that begin with "From " in the middle of a text, which has no quoting then', async () => {
		const text = 'A: 1\n\nFrom me to you\n\nFrom now on\n>From there\n';
		expect(await textsOf(`${begin}\n${text}\n${begin}\nB: 2\n\n>From x\n`)).toEqual([text, 'B: 2\n\nFrom x\n']);
	});

	test('a paragraph that begins with "From " and tells a time of day', async () => {
		const text = 'A: 1\n\nHi\n\nFrom 10:00 on we meet, and from Monday 9:00.\n';
		expect(await textsOf(`${begin}\n${text}\n${begin}\nB: 2\n\nx\n`)).toEqual([text, 'B: 2\n\nx\n']);
	});

	test.each(['x Thu Jan  1 00:00:00 1970', '- Thu Jan 01 0:00:00 +0000 1970', '1@xxx Thu, 1 Jan 1970 00:00:00 +0000'])(
		'beginnings as "From %s"',
		async date => {
			expect(await textsOf(`From ${date}\nA: 1\n\nFrom x\n\nFrom y\n\nFrom ${date}\nB: 2\n`)).toHaveLength(2);
		},
	);

	test('beginnings without a time, where the first has none', async () => {
		expect(await textsOf('From ann\nA: 1\n\nx\n\nFrom bob\nB: 2\n\ny\n')).toEqual(['A: 1\n\nx\n', 'B: 2\n\ny\n']);
	});

	test('mails without a body, and without anything', async () => {
		expect(await textsOf(`${begin}\nA: 1\n\n${begin}\n\n${begin}\n`)).toEqual(['A: 1\n', '', '']);
	});

	test('nothing', async () => {
		expect(await textsOf()).toEqual([]);
	});
});

test('a mail that tells a wrong length of its own takes no other in', async () => {
	const first = 'A: 1\nContent-Length: 4711\n\nx\n';
	expect(await textsOf(`${begin}\n${first}\n${begin}\nB: 2\n\ny\n`)).toEqual([first, 'B: 2\n\ny\n']);
});

test('a mail that is too large is told by its size, and the next is read', async () => {
	const large = `${begin}\nA: 1\n\n${'x'.repeat(200)}\n${'y\n'.repeat(100)}\n`;
	expect(await mailsOf([large.slice(0, 90), large.slice(90), `${begin}\nB: 2\n`], 100)).toEqual([
		{size: 407, text: undefined},
		{size: 5, text: 'B: 2\n'},
	]);
});

test('what is no mbox is refused', async () => {
	await expect(mailsOf(['Subject: Hi\n\nHello\n'])).rejects.toThrow(
		'Not an mbox file: it does not start with "From ".',
	);
});

test('a mail of very many lines takes no more memory than its bytes', async () => {
	const before = process.memoryUsage().heapUsed;
	let after = 0;
	async function* pieces() {
		yield Buffer.from(`${begin}\nA: 1\n\n`);
		for (let count = 0; count < 10; count++) {
			yield Buffer.alloc(100_000, '\n');
		}

		after = process.memoryUsage().heapUsed;
	}

	for await (const {size} of mailsInMbox(pieces(), 5_000_000)) {
		expect(size).toBe(1_000_005);
	}

	expect(after - before).toBeLessThan(50_000_000);
});
