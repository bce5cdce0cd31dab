import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {extractCodes} from '../../../../src/domain/extract/codes.js';
import {readHtml} from '../../../../src/domain/extract/html.js';

function linesOf(name: string): readonly string[] {
	return readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8')
		.trim()
		.split('\n');
}

/** Mails of a sentence or two, one a line: language, `+` with the code 482913 or `-` with none, text with `|` as line ends. */
const sentences = linesOf('code-sentences.txt').map(line => {
	const [language = '', sign, ...words] = line.split(' ');
	return {language, codes: sign === '+' ? ['482913'] : [], text: words.join(' ').replaceAll('|', '\n')};
});

describe.each([...new Set(sentences.map(({language}) => language))])('in the language %s', wanted => {
	test.each(sentences.filter(({language}) => language === wanted))('$codes is found in $text', ({text, codes}) => {
		expect(extractCodes({subject: '', text, html: readHtml('')})).toEqual(codes);
	});
});

/** Mails without a code, one a line: language, text with `|` as line ends. */
const noCodes = linesOf('no-codes.txt').map(line => {
	return line.slice(line.indexOf(' ') + 1).replaceAll('|', '\n');
});

test.each(noCodes)('no code is found in %s, whatever the subject is', text => {
	for (const subject of ['', 'Confirm your account']) {
		expect(extractCodes({subject, text, html: readHtml('')}), subject).toEqual([]);
	}
});

/** English mails, one a line: code or `-` for none, subject, text with `|` as line ends, with tabs between. */
const englishMails = linesOf('code-mails.txt').map(line => {
	const [code = '', subject = '', text = ''] = line.split('\t');
	return {subject, codes: code === '-' ? [] : [code], text: text.replaceAll('|', '\n')};
});

test.each(englishMails)('$codes is found in $text with the subject $subject', ({subject, text, codes}) => {
	expect(extractCodes({subject, text, html: readHtml('')})).toEqual(codes);
});

/** What other numbers and codes are called, one language a line. */
const otherNumbers = linesOf('other-numbers.txt').map(line => {
	const [language = '', names = ''] = line.split(': ');
	return {language, names: names.split(', ')};
});

test.each(otherNumbers)(
	'no other number is a code in the language $language, not even where codes are expected',
	({names}) => {
		for (const name of names) {
			for (const text of [
				`${name}: 482913`,
				`${name} 482913`,
				`${name}\n\n482913`,
				`${name}: K7XQ2M`,
				`${name} #4829.`,
			]) {
				expect(extractCodes({subject: 'Confirm your account', text, html: readHtml('')}), text).toEqual([]);
			}
		}
	},
);
