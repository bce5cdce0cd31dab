import {afterAll, beforeAll, expect, test, vi} from 'vitest';

// The vocabulary is built from the rows on import, so this file needs fresh modules.
beforeAll(() => {
	vi.resetModules();
});
afterAll(() => {
	vi.resetModules();
});

test('a row in data/code-words.json adds a new language', async () => {
	const {default: codeWords} = await import('../../../../src/domain/extract/data/code-words.json', {
		with: {type: 'json'},
	});
	Object.assign(codeWords, {tlh: {code: '~vekuro, ~vekurim', verify: 'tsal', is: 'zai'}});
	const {extractCodes} = await import('../../../../src/domain/extract/codes.js');
	const {readHtml} = await import('../../../../src/domain/extract/html.js');
	const codesIn = (text: string) => extractCodes({subject: '', text, html: readHtml('')});
	expect(codesIn('Tsalen Vekuro: 482913')).toEqual(['482913']);
	expect(codesIn('Tsalen Muvekuro zai K7XQ2M')).toEqual(['K7XQ2M']);
	expect(codesIn('Pelnor: 482913')).toEqual([]);
});
