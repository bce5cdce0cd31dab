import fc from 'fast-check';
import {expect, test} from 'vitest';
import {QuotedPrintableDecoder} from '../../../../src/mime/parse/transfer-encodings.js';

/** Slow reference decoder. Alternatives: a code, a soft line break, white space before a line end, white space at the end. */
const reference = (text: string) =>
	text.replace(/=([\dA-F]{2})|=[ \t]*(?:\r?\r?\n|$)|[ \t\r]*?(\r?\n)|[ \t\r]+$/gi, (_, code?: string, lineEnd = '') =>
		code ? String.fromCharCode(Number.parseInt(code, 16)) : lineEnd,
	);

async function decode(pieces: readonly string[]): Promise<string> {
	const decoder = new QuotedPrintableDecoder();
	for (const piece of pieces) {
		decoder.write(Buffer.from(piece, 'latin1'));
	}

	return Buffer.concat(await decoder.end().toArray()).toString('latin1');
}

test('quoted-printable in any pieces is decoded like by the reference decoder', async () => {
	const sign = fc.constantFrom(
		'=',
		'=',
		'\r',
		'\n',
		'\r\n',
		' ',
		'\t',
		'3',
		'D',
		'a',
		'x',
		'>',
		'\0',
		'\xe9',
		'=0D',
		'=\r\n',
	);
	await fc.assert(
		fc.asyncProperty(fc.array(fc.string({unit: sign, maxLength: 12}), {maxLength: 5}), async pieces => {
			expect(await decode(pieces)).toBe(reference(pieces.join('')));
		}),
		{numRuns: 1000},
	);
});
