import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {markMatches} from '../../../../src/ui/core/filter.js';

describe('markMatches', () => {
	test('finds a filter case-insensitively anywhere', () => {
		expect(markMatches('Your CODE is code', 'code')).toEqual([
			{text: 'Your ', marked: false},
			{text: 'CODE', marked: true},
			{text: ' is ', marked: false},
			{text: 'code', marked: true},
		]);
	});

	test('treats the filter as literal text', () => {
		fc.assert(
			fc.property(fc.string({minLength: 1, maxLength: 8}), fc.string({maxLength: 8}), (filter, around) => {
				const text = around + filter + around;
				const parts = markMatches(text, filter);
				expect(parts.map(part => part.text).join('')).toBe(text);
				expect(parts.some(({marked}) => marked)).toBe(true);
			}),
		);
	});
});
