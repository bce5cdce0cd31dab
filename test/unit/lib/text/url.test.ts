import {expect, test} from 'vitest';
import {readUrl} from '../../../../src/lib/text/url.js';

test('parsing a URL many times always gives the same result', () => {
	const hosts = new Set(Array.from({length: 20_000}, () => readUrl('https://bücher.example/x')?.host));
	expect([...hosts]).toEqual(['xn--bcher-kva.example']);
	expect(readUrl('https://')).toBeUndefined();
});
