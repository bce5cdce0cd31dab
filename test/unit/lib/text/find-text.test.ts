import fc from 'fast-check';
import {expect, test} from 'vitest';
import {containing, containingAny} from '../../../../src/lib/text/find-text.js';
import {withTimeLimit} from '../../../helpers/time-limit.js';

const letters = (maxLength: number) => fc.array(fc.constantFrom('a', 'b'), {maxLength}).map(parts => parts.join(''));

test('containing agrees with String.includes', () => {
	const check = (beginning: string, needle: string, end: string, other: string) => {
		expect(containing(needle)(beginning + needle + end)).toBe(true);
		expect(containing(needle)(other)).toBe(other.includes(needle));
	};
	fc.assert(fc.property(letters(300), letters(300), letters(300), letters(600), check));
	expect(containing('')('')).toBe(true);
});

test('containingAny finds any of several needles with any characters', () => {
	const needles = fc.array(fc.oneof(letters(120), fc.string({unit: 'binary', minLength: 1, maxLength: 3})), {
		maxLength: 5,
	});
	const texts = fc.oneof(letters(300), fc.string({unit: 'binary', maxLength: 30}));
	const check = (some: readonly string[], text: string) => {
		const expected = some.some(needle => text.includes(needle));
		expect(containingAny(some)(text)).toBe(expected);
		expect(some.every(needle => containingAny(some)(`${text}${needle}.`))).toBe(true);
	};
	fc.assert(fc.property(needles, texts, check), {numRuns: 500});
	expect(containingAny(['a.c', '(', '\n/'])('abc')).toBe(false);
});

test('a long needle is found after many partial matches', () => {
	const needle = `${'ab'.repeat(200)}a`;
	for (const text of [`ab${needle}`, `${needle.slice(0, -1)}b${needle}`, `${'a'.repeat(500)}${needle}`]) {
		expect(containing(needle)(text)).toBe(true);
		expect(containing(`${needle}c`)(text)).toBe(false);
	}
});

test.each([
	{name: 'a needle with a long suffix', needle: `qx${'q'.repeat(4000)}`},
	{name: 'a needle with a long prefix', needle: `${'q'.repeat(4000)}xq`},
	{name: 'a short needle', needle: `qx${'q'.repeat(98)}`},
])('searching a text of partial matches takes linear time for $name', ({needle}) => {
	const texts = Array.from({length: 200}, () => 'q'.repeat(250_000));
	const isIn = containing(needle);
	expect(withTimeLimit(() => texts.some(text => isIn(text)))).toBe(false);
});
