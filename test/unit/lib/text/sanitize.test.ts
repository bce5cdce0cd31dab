import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {
	plainLine,
	safeFileName,
	safeJson,
	sanitizeLine,
	sanitizeText,
	showControls,
} from '../../../../src/lib/text/sanitize.js';
import {withTimeLimit} from '../../../helpers/time-limit.js';

describe('sanitizeLine', () => {
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
		['\x9d0;one\x9d0;two\x9ctext', '0;onetext'],
		['sign\u200bup\u200c\u200d', 'sign<U+200B>up<U+200C><U+200D>'],
		['a\u2060b\ufeffc\u00add', 'a<U+2060>b<U+FEFF>c<U+00AD>d'],
		['tag\u{e0001}\u{e0041}\u{e007f}', 'tag<U+E0001><U+E0041><U+E007F>'],
		['a\ufe0fb\u{e0100}', 'a<U+FE0F>b<U+E0100>'],
		['❤️ ❤︎ 1️⃣ 👩🏽‍🚀 🏳️‍🌈 👁️‍🗨️', '❤️ ❤︎ 1️⃣ 👩🏽‍🚀 🏳️‍🌈 👁️‍🗨️'],
		[
			'🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
			'🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
		],
		['🏴\u{e0068}\u{e0069}', '🏴<U+E0068><U+E0069>'],
		['👩‍a', '👩<U+200D>a'],
	])('shows %j as %j', (text, expected) => {
		expect(sanitizeLine(text)).toBe(expected);
	});
});

test('plainLine removes control characters and keeps invisible ones', () => {
	expect(plainLine('a\u200bb\x1b[201~\r\x9bc')).toBe('a\u200bb ');
	expect(plainLine('\x1b[201~rm -rf ~\n')).toBe('rm -rf ~ ');
});

test('sanitizeText keeps line breaks and tabs', () => {
	expect(sanitizeText('a\r\nb\rc\n\td\x1b[2J\u2066e')).toBe('a\nb\nc\n\tde');
});

/** Text with many control characters. */
const hostile = fc.string({
	unit: fc.oneof(
		fc.constantFrom('\x1b', '\x1b[', '\x1b]', '\x9b', '\x9d', '\x9c', '\x07', '\\', ';', 'm', '\r', '\n', '\u202e'),
		fc.string({unit: 'binary', minLength: 1, maxLength: 1}),
		fc.string({minLength: 1, maxLength: 1}),
	),
	maxLength: 60,
});

const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

test('sanitized text contains no control characters for any input', () => {
	fc.assert(
		fc.property(hostile, text => {
			expect(sanitizeLine(text)).not.toMatch(controls);
			expect(sanitizeLine(text)).not.toMatch(/[\t\n]/);
			expect(sanitizeText(text)).not.toMatch(controls);
		}),
	);
});

test('safeJson escapes control characters and keeps every value', () => {
	fc.assert(
		fc.property(hostile, text => {
			expect(safeJson(text)).not.toMatch(/[\0-\x1f]|[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/);
			expect(JSON.parse(safeJson({text}))).toEqual({text});
		}),
	);
});

describe('a long hostile text takes linear time:', () => {
	const long = 200_000;
	const openings = ['\x1b[', '\x1b]', '\x9b1;', '\x1bP', '\x1b ', '\x90', '\x98', '\x9d', '\x9ex', '\x9f\x1b'];
	test.each(openings)('%j repeated', opening => {
		const text = opening.repeat(long / opening.length);
		expect(withTimeLimit(() => sanitizeLine(text))).not.toMatch(controls);
		expect(withTimeLimit(() => sanitizeText(text))).not.toMatch(controls);
		expect(withTimeLimit(() => showControls(text))).not.toMatch(controls);
	});

	test.each(['\x90', '.', ' .', '\u3000', '-', '\u200b', '🏴'])('%j as a file name', piece => {
		const name = `a${piece.repeat(long / piece.length)}b.pdf`;
		expect(withTimeLimit(() => safeFileName(name, 'attachment')).length).toBeLessThanOrEqual(80);
	});
});

test('showControls replaces control characters with visible symbols', () => {
	expect(showControls('a\r\n\tb\x1b[31m\x07\x7f\x9b')).toBe('a\n\tb␛[31m␇␡<9B>');
	expect(showControls('\u202ea\u200bb\u2028❤️')).toBe('<U+202E>a<U+200B>b<U+2028>❤️');
});

describe('the file name of an attachment', () => {
	test.each([
		['invoice.pdf', 'invoice.pdf'],
		['日本語 ❤️.txt', '日本語 ❤️.txt'],
		['../../etc/passwd', 'passwd'],
		['..\\..\\x.exe', 'x.exe'],
		['.bashrc', 'bashrc'],
		['-rf', '_-rf'],
		['.--output=x', '_--output=x'],
		['\u200b-rf', '_-rf'],
		['con', '_con'],
		['NUL.txt', '_NUL.txt'],
		['nul.tar.gz', '_nul.tar.gz'],
		['CON .txt', '_CON .txt'],
		['aux . ', '_aux'],
		['CONIN$', '_CONIN$'],
		['conout$.log', '_conout$.log'],
		['CLOCK$', '_CLOCK$'],
		['COM1', '_COM1'],
		['COM¹', '_COM¹'],
		['lpt³.txt', '_lpt³.txt'],
		['c\u200bon', '_con'],
		['con\x1b[0m', '_con'],
		['console.log', 'console.log'],
		['com10', 'com10'],
		['a\u202efdp.exe', 'afdp.exe'],
		['a:b', 'a_b'],
		['a\u200bb', 'ab'],
		['', 'attachment'],
		['. .', 'attachment'],
		['/', 'attachment'],
	])('%j becomes %j', (name, saved) => {
		expect(safeFileName(name, 'attachment')).toBe(saved);
	});

	test('is valid on every file system for any input', () => {
		fc.assert(
			fc.property(hostile, fc.nat(300), (text, length) => {
				const name = safeFileName(text.padEnd(length, '日.'), 'attachment');
				expect(Buffer.byteLength(name)).toBeLessThanOrEqual(250);
				expect(name).not.toMatch(/^[.\s-]|[.\s]$|[/\\<>:"|?*]/);
				expect(name).not.toMatch(controls);
			}),
		);
	});
});
