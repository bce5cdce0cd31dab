import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {extractCodes} from '../../../../src/domain/extract/codes.js';
import {readHtml} from '../../../../src/domain/extract/html.js';

function linesOf(name: string): readonly string[] {
	return readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8')
		.trim()
		.split('\n');
}

/** Short mails, one per line: language, `+` for the code 482913 or `-` for no code, text with `|` for line ends. */
const sentences = linesOf('code-sentences.txt').map(line => {
	const [language = '', sign, ...words] = line.split(' ');
	return {language, codes: sign === '+' ? ['482913'] : [], text: words.join(' ').replaceAll('|', '\n')};
});

describe.each([...new Set(sentences.map(({language}) => language))])('code extraction in the language %s', wanted => {
	test.each(sentences.filter(({language}) => language === wanted))('finds $codes in $text', ({text, codes}) => {
		expect(extractCodes({subject: '', text, html: readHtml('')})).toEqual(codes);
	});
});

/** Mails without a code, one per line: language, text with `|` for line ends. */
const noCodes = linesOf('no-codes.txt').map(line => {
	return line.slice(line.indexOf(' ') + 1).replaceAll('|', '\n');
});

test.each(noCodes)('no code is found in %s with any subject', text => {
	for (const subject of ['', 'Confirm your account']) {
		expect(extractCodes({subject, text, html: readHtml('')}), subject).toEqual([]);
	}
});

/** English mails, one per line, separated by tabs: code or `-` for none, subject, text with `|` for line ends. */
const englishMails = linesOf('code-mails.txt').map(line => {
	const [code = '', subject = '', text = ''] = line.split('\t');
	return {subject, codes: code === '-' ? [] : [code], text: text.replaceAll('|', '\n')};
});

test.each(englishMails)('the codes $codes are found in $text with the subject $subject', ({subject, text, codes}) => {
	expect(extractCodes({subject, text, html: readHtml('')})).toEqual(codes);
});

/** Names of other numbers and codes, one language per line. */
const otherNumbers = linesOf('other-numbers.txt').map(line => {
	const [language = '', names = ''] = line.split(': ');
	return {language, names: names.split(', ')};
});

test.each(otherNumbers)(
	'a number with another label is not a code in the language $language, even if the subject promises a code',
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
