import {expect, test} from 'vitest';
import {textOfHtml} from '../../src/mime/html-text.js';

test('HTML becomes its words', () => {
	expect(textOfHtml('<p>One</p><hr><blockquote>Two</blockquote>')).toMatch(/^One\n\n-+\n\n> Two$/);
});

test('HTML that becomes much more than it is does not become text', () => {
	const quotes = 200;
	const lines = '<br>x'.repeat(5000);
	const html = `${'<blockquote>'.repeat(quotes)}${lines}${'</blockquote>'.repeat(quotes)}`;
	expect(() => textOfHtml(html)).toThrow('too long');
});
