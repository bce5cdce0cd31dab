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

test('every part of a text is found, wherever its lines are wrapped', () => {
	const word = fc.stringMatching(/^[a-z日é+*]{1,12}$/);
	const text = fc.array(word, {minLength: 1, maxLength: 30}).map(words => words.join(' '));
	fc.assert(
		fc.property(
			text,
			fc.integer({min: 2, max: 20}),
			fc.nat(),
			fc.integer({min: 1, max: 40}),
			(whole, width, at, length) => {
				const start = at % whole.length;
				const stretch = whole.slice(start, start + length);
				expect(linesWith(stretch, wrap(whole, width)).length).toBeGreaterThan(0);
			},
		),
		{numRuns: 500},
	);
});
