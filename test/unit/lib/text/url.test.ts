import {expect, test} from 'vitest';
import {readUrl} from '../../../../src/lib/text/url.js';

test('a URL is read the same however often', () => {
	const hosts = new Set(Array.from({length: 20_000}, () => readUrl('https://bücher.example/x')?.host));
	expect([...hosts]).toEqual(['xn--bcher-kva.example']);
	expect(readUrl('https://')).toBeUndefined();
});
