import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {extractCodes} from '../../../src/domain/extract/codes.js';

/** Mails of a sentence or two, one a line: language, `+` with the code 482913 or `-` with none, text with `|` as line ends. */
const file = new URL('../../fixtures/code-sentences.txt', import.meta.url);

const sentences = readFileSync(file, 'utf8')
	.trim()
	.split('\n')
	.map(line => {
		const [language = '', sign, ...words] = line.split(' ');
		return {language, codes: sign === '+' ? ['482913'] : [], text: words.join(' ').replaceAll('|', '\n')};
	});

describe.each([...new Set(sentences.map(({language}) => language))])('in the language %s', wanted => {
	test.each(sentences.filter(({language}) => language === wanted))('$codes is found in $text', ({text, codes}) => {
		expect(extractCodes({subject: '', text, html: ''})).toEqual(codes);
	});
});
