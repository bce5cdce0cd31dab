import fc from 'fast-check';
import {expect, test} from 'vitest';
import {asciiDigits} from '../../../../src/domain/extract/codes.js';

test.each([
	['٤٨٢٩١٣', '482913'],
	['code: ४८२९१३.', 'code: 482913.'],
	['𝟗x𝟘 😀', '9x0 😀'],
	['４８２ and 913', '482 and 913'],
	['½ Ⅳ ² ④', '½ Ⅳ ² ④'],
])('asciiDigits converts %s to %s', (text, expected) => {
	expect(asciiDigits(text)).toBe(expected);
});

test('asciiDigits replaces decimal digits of every script and nothing else', () => {
	const digits = Array.from({length: 0x1_ffff}, (_, codePoint) => String.fromCodePoint(codePoint)).filter(character =>
		/\p{Nd}/u.test(character),
	);
	const unit = fc.oneof(fc.constantFrom(...digits), fc.string({unit: 'binary', maxLength: 3}));
	fc.assert(
		fc.property(fc.array(unit), parts => {
			const expected = parts.join('').replace(/\p{Nd}/gu, digit => String(digits.indexOf(digit) % 10));
			expect(asciiDigits(parts.join(''))).toBe(expected);
		}),
	);
});
