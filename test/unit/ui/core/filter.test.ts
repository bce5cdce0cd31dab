import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {markMatches} from '../../../../src/ui/core/filter.js';

describe('markMatches', () => {
	test('markMatches finds a filter case-insensitively anywhere', () => {
		expect(markMatches('Your CODE is code', 'code')).toEqual([
			{text: 'Your ', marked: false},
			{text: 'CODE', marked: true},
			{text: ' is ', marked: false},
			{text: 'code', marked: true},
		]);
	});

	test('markMatches takes the filter literally', () => {
		fc.assert(
			fc.property(fc.string({minLength: 1, maxLength: 8}), fc.string({maxLength: 8}), (filter, around) => {
				const text = around + filter + around;
				const stretches = markMatches(text, filter);
				expect(stretches.map(stretch => stretch.text).join('')).toBe(text);
				expect(stretches.some(({marked}) => marked)).toBe(true);
			}),
		);
	});
});
