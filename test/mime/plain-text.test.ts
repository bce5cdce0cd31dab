import {expect, test} from 'vitest';
import {sharedParser, sourceOf} from './mime-test.js';

const parser = sharedParser();

const plain = (text: string) => `Content-Type: text/plain\r\n\r\n${text}`;
const html = (text: string) => `Content-Type: text/html\r\n\r\n${text}`;

/** Parts in one, whose boundary is its type. */
function multipart(type: string, ...parts: readonly string[]): string {
	const inner = parts.map(part => `--${type}\r\n${part}\r\n`).join('');
	return `Content-Type: multipart/${type}; boundary=${type}\r\n\r\n${inner}--${type}--`;
}

test.each([
	['HTML alone', html('<p>Hello</p>'), 'Hello'],
	['HTML and a plain footer', multipart('mixed', html('<p>Hello</p>'), plain('-- \r\nScanned')), 'Hello\n-- \nScanned'],
	['HTML, and HTML as a footer', multipart('mixed', html('<p>Hello</p>'), html('<p>Scanned</p>')), 'Hello\nScanned'],
	[
		'HTML whose comment never ends, and more HTML',
		multipart('mixed', html('<p>Hello<!--'), html('Scanned')),
		'Hello\nScanned',
	],
	['alternatives', multipart('alternative', plain('Plain'), html('<p>Rich</p>')), 'Plain'],
	['alternatives, the other way around', multipart('alternative', html('<p>Rich</p>'), plain('Plain')), 'Plain'],
	['alternatives with an empty text', multipart('alternative', plain(' \r\n'), html('<p>Rich</p>')), 'Rich'],
	['alternatives of HTML', multipart('alternative', html('<p>Rich</p>')), 'Rich'],
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
])('the text of %s', async (_, mail, text) => {
	expect(await parser.read('ada', sourceOf(mail))).toMatchObject({text, warnings: []});
});

test('the text of very long HTML is that of its beginning', async () => {
	const html = `<p>Hello</p>${'<i>'.repeat(700_000)}there`;
	expect(await parser.read('ada', sourceOf(`Content-Type: text/html\r\n\r\n${html}`))).toMatchObject({
		html,
		text: 'Hello',
		warnings: ['The text is that of the first 2 MiB of the HTML.'],
	});
});
