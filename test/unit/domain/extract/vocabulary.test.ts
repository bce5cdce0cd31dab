import {describe, expect, test} from 'vitest';
import {createVocabulary, foldSpelling, languages, PhraseFinder} from '../../../../src/domain/extract/vocabulary.js';

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
])('%j in %j', (phrases, text, expected) => {
	expect(find(phrases, text)).toEqual(expected);
});

describe('each phrase of the vocabulary is found, whatever else begins with it', () => {
	const vocabulary = createVocabulary();

	test.each(Object.entries(languages))('%s', (_, words) => {
		for (const [column, list] of Object.entries(words)) {
			for (const phrase of list.split(/[,\n]/).map(text => text.replaceAll('~', '').trim())) {
				const text = foldSpelling(phrase);
				const whole = vocabulary.find(text).find(({start, wordEnd}) => start === 0 && wordEnd === text.length);
				expect(whole?.kinds, phrase).toContain(column);
			}
		}
	});
});
