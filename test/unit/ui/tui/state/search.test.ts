import fc from 'fast-check';
import {expect, test} from 'vitest';
import {wrap} from '../../../../../src/lib/text/columns.js';
import {linesWith} from '../../../../../src/ui/tui/state/reading.js';

test('a search finds literal text case-insensitively on the line where it starts', () => {
	const lines = ['Your code', 'is 4711.', '', 'A+B (c) code', 'no CODE'];
	expect(linesWith('code', lines)).toEqual([0, 3, 4]);
	expect(linesWith('code is', lines)).toEqual([0]);
	expect(linesWith('a+b (C)', lines)).toEqual([3]);
	expect(linesWith('.*', lines)).toEqual([]);
	expect(linesWith('x', [])).toEqual([]);
});

test('a search finds every part of a text at any wrapping width', () => {
	const word = fc.stringMatching(/^[a-z日é+*]{1,12}$/);
	const text = fc.array(word, {minLength: 1, maxLength: 30}).map(words => words.join(' '));
	fc.assert(
		fc.property(
			text,
			fc.integer({min: 2, max: 20}),
			fc.nat(),
			fc.integer({min: 1, max: 40}),
			(fullText, width, offset, length) => {
				const start = offset % fullText.length;
				const part = fullText.slice(start, start + length);
				expect(linesWith(part, wrap(fullText, width)).length).toBeGreaterThan(0);
			},
		),
		{numRuns: 500},
	);
});
