import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {safeJson, sanitizeLine, sanitizeText, showControls} from '../../src/lib/sanitize.js';

describe('on one line', () => {
	test.each([
		['plain text', 'plain text'],
		['日本語 👨‍👩‍👧 café', '日本語 👨‍👩‍👧 café'],
		['\x1b[31mred\x1b[0m', 'red'],
		['\x9b31mred', 'red'],
		['\x1b]0;title\x07text', 'text'],
		['\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\', 'link'],
		['\x9d52;c;ZXZpbA==\x9ctext', 'text'],
		['\x1bPq payload\x1b\\text', 'text'],
		['\x1bcreset', 'reset'],
		['\x1b]0;never ends', '0;never ends'],
		['a\r\nb\tc\nd', 'a b c d'],
		['invoice\u202efdp.exe', 'invoicefdp.exe'],
		['a\0b\x08c\x7fd\x85e\u2028f', 'abcdef'],
	])('%j is shown as %j', (text, shown) => {
		expect(sanitizeLine(text)).toBe(shown);
	});
});

test('in a body line breaks and tabs stay', () => {
	expect(sanitizeText('a\r\nb\rc\n\td\x1b[2J\u2066e')).toBe('a\nb\nc\n\tde');
});

/** Text in which controls are as likely as anything else. */
const hostile = fc.string({
	unit: fc.oneof(
		fc.constantFrom('\x1b', '\x1b[', '\x1b]', '\x9b', '\x9d', '\x9c', '\x07', '\\', ';', 'm', '\r', '\n', '\u202e'),
		fc.string({unit: 'binary', minLength: 1, maxLength: 1}),
		fc.string({minLength: 1, maxLength: 1}),
	),
	maxLength: 60,
});

const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

test('nothing that a terminal executes is left, whatever the text', () => {
	fc.assert(
		fc.property(hostile, text => {
			expect(sanitizeLine(text)).not.toMatch(controls);
			expect(sanitizeLine(text)).not.toMatch(/[\t\n]/);
			expect(sanitizeText(text)).not.toMatch(controls);
		}),
	);
});

test('JSON keeps every value and shows no control', () => {
	fc.assert(
		fc.property(hostile, text => {
			expect(safeJson(text)).not.toMatch(/[\0-\x1f]|[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/);
			expect(JSON.parse(safeJson({text}))).toEqual({text});
		}),
	);
});

test('a long hostile text takes no longer than it has to', () => {
	const openings = ['\x1b[', '\x1b]', '\x9b1;', '\x1bP', '\x1b '].map(opening => opening.repeat(200_000));
	for (const text of openings) {
		expect(sanitizeLine(text)).not.toMatch(controls);
	}
});

test('a source shows its control characters and hands none on', () => {
	expect(showControls('a\r\n\tb\x1b[31m\x07\x7f\x9b')).toBe('a\n\tb␛[31m␇␡<9B>');
});
