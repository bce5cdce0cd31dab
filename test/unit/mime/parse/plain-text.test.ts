import {expect, test} from 'vitest';
import {sharedParser, sourceOf} from '../test-parser.js';

const parser = sharedParser();

const plain = (text: string) => `Content-Type: text/plain\r\n\r\n${text}`;
const html = (text: string) => `Content-Type: text/html\r\n\r\n${text}`;

/** A multipart with its subtype as the boundary. */
function multipart(type: string, ...parts: readonly string[]): string {
	const inner = parts.map(part => `--${type}\r\n${part}\r\n`).join('');
	return `Content-Type: multipart/${type}; boundary=${type}\r\n\r\n${inner}--${type}--`;
}

test.each([
	['an HTML part', html('<p>Hello</p>'), 'Hello'],
	['HTML and a plain footer', multipart('mixed', html('<p>Hello</p>'), plain('-- \r\nScanned')), 'Hello\n-- \nScanned'],
	['HTML and an HTML footer', multipart('mixed', html('<p>Hello</p>'), html('<p>Scanned</p>')), 'Hello\nScanned'],
	[
		'HTML with an unclosed comment and another HTML part',
		multipart('mixed', html('<p>Hello<!--'), html('Scanned')),
		'Hello\nScanned',
	],
	['alternatives', multipart('alternative', plain('Plain'), html('<p>Rich</p>')), 'Plain'],
	['alternatives in reverse order', multipart('alternative', html('<p>Rich</p>'), plain('Plain')), 'Plain'],
	['alternatives with an empty text', multipart('alternative', plain(' \r\n'), html('<p>Rich</p>')), 'Rich'],
	['an HTML alternative', multipart('alternative', html('<p>Rich</p>')), 'Rich'],
	[
		'alternatives with a footer',
		multipart('mixed', multipart('alternative', plain('Plain'), html('<p>Rich</p>')), plain('Scanned')),
		'Plain\nScanned',
	],
	[
		'an alternative with images',
		multipart('alternative', plain('Plain'), multipart('related', html('<p>Rich</p>'))),
		'Plain',
	],
	['an empty text before HTML', multipart('mixed', plain(' '), html('<p>Rich</p>')), 'Rich'],
])('the plain text of a mail is extracted from %s', async (_, mail, text) => {
	expect(await parser.read('ada', sourceOf(mail))).toMatchObject({text, warnings: []});
});

test.each([
	['2 MiB', `<p>Hello<!--${'x'.repeat(2 * 1024 * 1024)}-->there`, 'Hello'],
	['100,000 tags', `<p>Hello${'<i>'.repeat(99_999)}there<p>you`, 'Hellothere'],
])('the plain text is extracted only from the start of HTML with more than %s', async (_, long, text) => {
	for (const mail of [multipart('mixed', html(long)), multipart('mixed', html(long), html('<p>and you'))]) {
		const read = await parser.read('ada', sourceOf(mail));
		expect(read.html.startsWith(long)).toBe(true);
		expect(read).toMatchObject({
			text,
			warnings: ['The text was extracted from only the first 2 MiB or 100,000 tags of the HTML.'],
		});
	}
});
