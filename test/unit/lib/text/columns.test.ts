import fc from 'fast-check';
import stringWidth from 'string-width';
import {describe, expect, test} from 'vitest';
import {displayable, endOf, fitTo, widthOf, wrap} from '../../../../src/lib/text/columns.js';
import {sanitizeText} from '../../../../src/lib/text/sanitize.js';
import {withTimeLimit} from '../../../helpers/time-limit.js';
import {hostileText} from '../../ui/tui/hostile-text.js';

const anyText = fc.oneof(hostileText, fc.string({unit: 'binary', maxLength: 60}), fc.string({maxLength: 60}));
const controls = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

describe('fitTo', () => {
	test('returns exactly the requested number of columns for any text', () => {
		fc.assert(
			fc.property(anyText, fc.nat(90), (text, width) => {
				expect(stringWidth(fitTo(text, width))).toBe(width);
			}),
			{numRuns: 2000},
		);
	});

	test('removes all control characters', () => {
		fc.assert(
			fc.property(anyText, fc.nat(90), (text, width) => {
				expect(fitTo(text, width)).not.toMatch(controls);
			}),
			{numRuns: 2000},
		);
	});

	test.each<[text: string, width: number, fitted: string]>([
		['Hello', 8, 'Hello   '],
		['Hello', 5, 'Hello'],
		['Hello', 4, 'Hel…'],
		['Hello', 1, '…'],
		['Hello', 0, ''],
		['日本語の件名', 12, '日本語の件名'],
		['日本語の件名', 7, '日本語…'],
		['日本語の件名', 6, '日本… '],
		['cafe\u0301', 4, 'café'],
		['👨‍👩‍👧 family', 13, '👨👩👧 family'],
		['👍🏽 ❤️', 4, '👍 ❤'],
		['🇩🇪', 3, '🇩🇪 '],
		['\x1b[31mred\x1b[0m\x07', 4, 'red '],
		['a\tb\r\nc', 6, 'a b c '],
		['\u202eevil', 4, 'evil'],
		['sign\u200bup', 14, 'sign<U+200B>up'],
		['\u0301\u0301x', 2, 'x '],
	])('fits %j into %i columns as %j', (text, width, fitted) => {
		expect(fitTo(text, width)).toBe(fitted);
	});
});

test('fitTo keeps the whole text in its own width', () => {
	fc.assert(
		fc.property(hostileText, text => {
			expect(widthOf(fitTo(text, widthOf(text)))).toBe(widthOf(text));
		}),
	);
});

test('endOf returns the last characters of a text that fit the width', () => {
	expect(endOf('signup@acme.example', 8)).toBe('.example');
	expect(endOf('日本語', 3)).toBe('語');
	expect(endOf('short', 8)).toBe('short');
});

describe('wrap', () => {
	test('returns lines within the width and adds no characters', () => {
		fc.assert(
			fc.property(anyText, fc.integer({min: 2, max: 60}), (text, width) => {
				const lines = wrap(text, width);
				for (const line of lines) {
					expect(stringWidth(line)).toBeLessThanOrEqual(width);
					expect(line).not.toMatch(controls);
				}

				const solid = (value: string) => value.replace(/\s/g, '');
				const words = displayable(sanitizeText(text).replace(/[\n\t]/g, ' '));
				expect(solid(lines.join('')).length).toBeLessThanOrEqual(solid(words).length);
			}),
			{numRuns: 1000},
		);
	});

	test.each<[text: string, width: number, lines: readonly string[]]>([
		['', 10, ['']],
		['one two three', 7, ['one two', 'three']],
		['one two three', 6, ['one', 'two', 'three']],
		['abcdefgh', 3, ['abc', 'def', 'gh']],
		['a\n\nb', 10, ['a', '', 'b']],
		['a\tb', 10, ['a       b']],
		['日本語テキスト', 5, ['日本', '語テ', 'キス', 'ト']],
		['  indented', 12, ['  indented']],
		['trailing   ', 20, ['trailing']],
	])('breaks %j at %i columns', (text, width, lines) => {
		expect(wrap(text, width)).toEqual(lines);
	});
});

test.each(['日', '👩‍🚀', '🇩🇪', 'e\u0301\u0302', 'क्ष', '각', '日 ', '\u0301'])(
	'wrapping and measuring a long text of %j takes linear time',
	piece => {
		const text = piece.repeat(80_000 / piece.length);
		expect(withTimeLimit(() => wrap(text, 80)).join('')).not.toMatch(controls);
		expect(withTimeLimit(() => widthOf(text))).toBeLessThanOrEqual(2 * text.length);
	},
);

test('a long text is split between the same graphemes as a short one', () => {
	const flags = '🇩🇪'.repeat(1001);
	expect(wrap(`a${flags}`, 2)).toEqual(['a', ...Array.from({length: 1001}, () => '🇩🇪')]);
	expect(wrap('각'.normalize('NFD').repeat(1000), 2)).toHaveLength(1000);
	expect(widthOf(`x${'क्षि'.repeat(500)}`)).toBe(1 + 500 * widthOf('क्षि'));
});
