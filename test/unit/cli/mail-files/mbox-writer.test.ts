import {Readable} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {mboxEntry, type Postmark} from '../../../../src/cli/mail-files.js';

const postmark: Postmark = {sender: 'ann@example.com', receivedAt: new Date('2026-03-01T09:05:06.789Z')};

async function written(pieces: readonly (string | Buffer)[], given: Partial<Postmark> = {}): Promise<string> {
	const mail = Readable.from(pieces.map(piece => Buffer.from(piece)));
	return (await buffer(mboxEntry({...postmark, ...given}, mail))).toString('latin1');
}

test('a mail begins with its sender and the time when it came, and ends with an empty line', async () => {
	const entry = await written(['Subject: Hi\r\n\r\nHello\r\n']);
	expect(entry).toBe('From ann@example.com Sun Mar  1 09:05:06 2026\nSubject: Hi\r\n\r\nHello\r\n\n');
});

test.each([
	['', 'MAILER-DAEMON'],
	['a b\r\nFrom x@example.com', 'a_b__From_x@example.com'],
])('the sender %j is one word', async (sender, name) => {
	expect(await written([], {sender})).toBe(`From ${name} Sun Mar  1 09:05:06 2026\n\n`);
});

test('a last line without an end gets one', async () => {
	expect(await written(['Subject: Hi\n\nHello'])).toMatch(/\nHello\n\n$/);
});

test('lines that begin with "From " are quoted, however the mail is cut into pieces', async () => {
	const line = fc.constantFrom('From ', 'From', '>From x', '>>From ', ' From ', '> From ', '>', '>>', 'x From y', '');
	const mail = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r'))).map(lines => lines.flat().join(''));
	await fc.assert(
		fc.asyncProperty(mail, fc.array(fc.nat(100)), async (text, cuts) => {
			const places = [0, ...cuts.filter(cut => cut < text.length).sort((a, b) => a - b), text.length];
			const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
			const expected = text.replace(/^>*From /gm, (quoted, at: number) =>
				at === 0 || text[at - 1] === '\n' ? `>${quoted}` : quoted,
			);
			const [, body] = /^[^\n]*\n(.*)$/s.exec(await written(pieces)) ?? [];
			expect(body).toBe(`${expected}${/(^|\n)$/.test(text) ? '\n' : '\n\n'}`);
		}),
	);
});
