import {describe, expect, test} from 'vitest';
import codeWords from '../../../../src/domain/extract/data/code-words.json' with {type: 'json'};
import {
	type CodeWords,
	createVocabulary,
	foldSpelling,
	PhraseFinder,
	splitPhrases,
} from '../../../../src/domain/extract/vocabulary.js';

function find(phrases: readonly string[], text: string): readonly string[] {
	const finder = new PhraseFinder<string>();
	for (const phrase of phrases) {
		finder.add(phrase, phrase);
	}

	return finder
		.find(foldSpelling(text))
		.filter(({isWhole}) => isWhole)
		.flatMap(({kinds}) => [...kinds].join(' and '));
}

test.each([
	[['code'], 'The code is in the codebase of a barcode.', ['code']],
	[['~code'], 'Barcode, code, codes', ['~code', '~code']],
	[['kód~'], 'Kódod, jelkód', ['kód~']],
	[['sign in', 'sign in code'], 'A sign-in code to sign in or signin', ['sign in code', 'sign in', 'sign in']],
	[['minute~', 'minutes'], 'minutes', ['minutes and minute~']],
	[['código'], 'CODIGO, código', ['código', 'código']],
	[['mã'], 'ma, mã', ['mã']],
	[['κωδικό~'], 'ΚΩΔΙΚΟΣ', ['κωδικό~']],
	[['验证码'], '您的验证码是', ['验证码']],
	[['رمز'], 'رَمز', ['رمز']],
])('a search for the phrases %j in %j finds each whole match', (phrases, text, expected) => {
	expect(find(phrases, text)).toEqual(expected);
});

const rows = Object.entries<CodeWords>(codeWords);

test('every column of data/code-words.json is documented in CodeWords', () => {
	const documented: Readonly<Record<keyof CodeWords, true>> = {
		code: true,
		key: true,
		password: true,
		pin: true,
		otp: true,
		confirmation: true,
		verify: true,
		about: true,
		number: true,
		thing: true,
		offer: true,
		cart: true,
		parcel: true,
		address: true,
		trip: true,
		failure: true,
		numbered: true,
		ref: true,
		is: true,
		gone: true,
		refused: true,
		enter: true,
		here: true,
		to: true,
		of: true,
		with: true,
		currency: true,
		unit: true,
	};
	for (const [language, row] of rows) {
		expect(Object.keys(documented), language).toEqual(expect.arrayContaining(Object.keys(row)));
	}
});

describe('each phrase of data/code-words.json is found despite longer phrases', () => {
	const vocabulary = createVocabulary();

	test.each(rows)('in the language %s', (_, row) => {
		for (const [column, cell] of Object.entries(row)) {
			for (const phrase of splitPhrases(cell)) {
				const text = foldSpelling(phrase.replaceAll('~', ''));
				const whole = vocabulary.find(text).find(({start, wordEnd}) => start === 0 && wordEnd === text.length);
				expect(whole?.kinds, phrase).toContain(column);
			}
		}
	});
});
