import {Readable} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {mboxEntry, type Postmark} from '../../../../src/cli/mail-files.js';

const postmark: Postmark = {sender: 'ann@example.com', receivedAt: new Date('2026-03-01T09:05:06.789Z')};

async function entryOf(chunks: readonly (string | Buffer)[], fields: Partial<Postmark> = {}): Promise<string> {
	const mail = Readable.from(chunks.map(chunk => Buffer.from(chunk)));
	return (await buffer(mboxEntry({...postmark, ...fields}, mail))).toString('latin1');
}

test('an mbox entry starts with the sender and the received time and ends with an empty line', async () => {
	const entry = await entryOf(['Subject: Hi\r\n\r\nHello\r\n']);
	expect(entry).toBe('From ann@example.com Sun Mar  1 09:05:06 2026\nSubject: Hi\r\n\r\nHello\r\n\n');
});

test.each([
	['', 'MAILER-DAEMON'],
	['a b\r\nFrom x@example.com', 'a_b__From_x@example.com'],
])('an mbox entry encodes the sender %j as the single word %s', async (sender, name) => {
	expect(await entryOf([], {sender})).toBe(`From ${name} Sun Mar  1 09:05:06 2026\n\n`);
});

test('an mbox entry adds a missing line end to the last line', async () => {
	expect(await entryOf(['Subject: Hi\n\nHello'])).toMatch(/\nHello\n\n$/);
});

test('an mbox entry quotes lines that start with "From " across any chunk boundaries', async () => {
	const line = fc.constantFrom('From ', 'From', '>From x', '>>From ', ' From ', '> From ', '>', '>>', 'x From y', '');
	const mail = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r'))).map(lines => lines.flat().join(''));
	await fc.assert(
		fc.asyncProperty(mail, fc.array(fc.nat(100)), async (text, cuts) => {
			const offsets = [0, ...cuts.filter(cut => cut < text.length).sort((a, b) => a - b), text.length];
			const chunks = offsets.slice(1).map((end, index) => text.slice(offsets[index], end));
			const expected = text.replace(/^>*From /gm, (quoted, at: number) =>
				at === 0 || text[at - 1] === '\n' ? `>${quoted}` : quoted,
			);
			const [, body] = /^[^\n]*\n(.*)$/s.exec(await entryOf(chunks)) ?? [];
			expect(body).toBe(`${expected}${/(^|\n)$/.test(text) ? '\n' : '\n\n'}`);
		}),
	);
});
