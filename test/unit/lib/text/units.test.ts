import fc from 'fast-check';
import {expect, test} from 'vitest';
import {formatDuration, parseDuration} from '../../../../src/lib/text/units.js';

test.each<[text: string, ms: number | undefined]>([
	['30', 30_000],
	[' 1.5h ', 5_400_000],
	['500ms', 500],
	['1m30s', 90_000],
	['1d2h3m4s5ms', 93_784_005],
	['2h500ms', 7_200_500],
	['0', 0],
	['30s1m', undefined],
	['1m1m', undefined],
	['1m30', undefined],
	['1..5s', undefined],
	['.5s', undefined],
	['-1s', undefined],
	['1 m', undefined],
	['soon', undefined],
	['', undefined],
	['.', undefined],
])('the duration %j is %s ms', (text, ms) => {
	expect(parseDuration(text)).toBe(ms);
});

test('parseDuration reverses formatDuration', () => {
	fc.assert(
		fc.property(fc.nat(), ms => {
			expect(parseDuration(formatDuration(ms))).toBe(ms);
		}),
	);
});
