import {expect, test} from 'vitest';
import {extractCodes} from '../../../src/domain/extract/codes.js';
import {extractLinks} from '../../../src/domain/extract/links.js';

const small = 16 * 1024;
const factor = 8;
const attempts = 6;

/** Milliseconds of one run over a body of `length` characters made of the unit. */
function costOf(unit: string, length: number): number {
	const body = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
	const start = performance.now();
	extractCodes({subject: body, text: body, html: body});
	extractLinks({text: body, html: body});
	return performance.now() - start;
}

/** Passes when one of several attempts grows as it should, since a busy machine only ever adds time. */
function expectLinearGrowth(unit: string): void {
	const floorMs = 3;
	const isLinear = () =>
		costOf(unit, small * factor) < 3 * factor * Math.max(floorMs, Math.min(costOf(unit, small), costOf(unit, small)));
	expect(Array.from({length: attempts}).some(isLinear)).toBe(true);
}

test.each([
	'<div>',
	'<div></b>',
	'<',
	'&',
	'1',
	'1 ',
	'12-',
	' ',
	'\n',
	'a@',
	'a.',
	'is ',
	'<a href="',
	'<td>1</td>',
	'a1b2 ',
	'code 1234 ',
	'http://',
	'<http://x ',
	'](',
	'\u0301',
])('eight times as much of %j takes far less than 64 times as long', unit => {
	expectLinearGrowth(unit);
});

test('an address with thousands of closing brackets takes no longer than other text', () => {
	expectLinearGrowth(`http://x${')'.repeat(4000)} `);
});

test('a body of many megabytes costs about as much as its first 512 KiB', () => {
	const unit = 'code 1234 <b>';
	const costsTheSame = () => costOf(unit, 8 * 1024 * 1024) < 6 * costOf(unit, 512 * 1024);
	expect(Array.from({length: attempts}).some(costsTheSame)).toBe(true);
});
