import {describe, expect, test} from 'vitest';
import {sharedParser, sourceOf} from './mime-test.js';

/** What mails say wrong about themselves. */
const parser = sharedParser();

async function read(...lines: string[]) {
	return parser.read('ada', sourceOf(Buffer.from(['Subject: declared', ...lines].join('\r\n'), 'latin1')));
}

const noType = (type: string, readAs = 'text/plain') =>
	`A part declares the type "${type}", which is none; it was read as ${readAs}.`;
const unknownEncoding = (name: string) =>
	`A part declares the transfer encoding "${name}", which is unknown; it was left as it is.`;

describe('a content type', () => {
	test.each<[string, string[]]>([
		['text/plain charset=utf-8', []],
		['text/plain, charset=utf-8', []],
		['text / plain; charset=utf-8', []],
		['text/plain (plain (text); \\)); charset=utf-8 (\\(that)', []],
		['text/plain; (c) charset (d) = (e) "utf-8"; charset=koi8-r', []],
		['text; charset=utf-8', [noType('text')]],
		['text/; charset=utf-8', [noType('text/')]],
		['html; charset=utf-8', [noType('html')]],
		['charset=utf-8', [noType('')]],
	])('%s is that of a text', async (type, warnings) => {
		const {text, attachments, warnings: found} = await read(`Content-Type: ${type}`, '', 'Gr\xc3\xbc\xc3\x9fe');
		expect({text, attachments, warnings: found}).toEqual({text: 'Grüße', attachments: [], warnings});
	});

	test.each([
		'multipart/mixed (c); boundary=B (x)',
		'multipart/mixed, boundary="B"',
		'multipart/mixed; boundary=B; boundary=C',
	])('%s has its parts', async type => {
		const {text, warnings} = await read(`Content-Type: ${type}`, '', '--B', '', 'One', '--B', '', 'Two', '--B--');
		expect({text, warnings}).toEqual({text: 'One\nTwo', warnings: []});
	});

	test.each([
		['Content-Type: application/pdf (doc); name=a.pdf (name)', 'a.pdf', []],
		['Content-Type: application/pdf; name="a (1).pdf"', 'a (1).pdf', []],
		['Content-Type: application/pdf; name=a (1).pdf', 'a (1).pdf', []],
		['Content-Type: application/pdf; name=a(1.pdf', 'a(1.pdf', []],
		['Content-Disposition: attachment; filename=a.pdf; filename=b.pdf', 'a.pdf', []],
		['Content-Disposition: attachment filename=a.pdf', 'a.pdf', []],
		['Content-Type: pdf; name=a.pdf', 'a.pdf', [noType('pdf', 'application/octet-stream')]],
	])('names a file: %s', async (field, filename, warnings) => {
		const {attachments, warnings: found} = await read(field, '', 'PDF');
		expect(attachments).toMatchObject([{filename, contentType: 'application/pdf', size: 3}]);
		expect(found).toEqual(warnings);
	});

	test('of a megabyte of comments, quotes and semicolons is read in time', async () => {
		for (const unit of ['(', '()', '(a) ', '"', ';', '; ', ' ;a=b', 'a/', ', ', '= ', '\\']) {
			const {warnings} = await read(`Content-Type: ${unit.repeat(1_000_000 / unit.length)}`, '', 'Hello');
			expect(warnings.filter(warning => warning.includes('could not be read'))).toEqual([]);
		}
	});
});

describe('a transfer encoding', () => {
	test.each<[string, string, string[]]>([
		['quoted-printable;', 'Gr=C3=BC=C3=9Fe', []],
		['"base64"', 'R3LDvMOfZQ==', []],
		['Quoted-Printable (c)', 'Gr=C3=BC=C3=9Fe', []],
		['quotedprintable', 'Gr=C3=BC=C3=9Fe', []],
		['8 bit', 'Gr\xc3\xbc\xc3\x9fe', []],
		['x-uuencode', 'Gr\xc3\xbc\xc3\x9fe', [unknownEncoding('x-uuencode')]],
		['utf-8', 'Gr\xc3\xbc\xc3\x9fe', [unknownEncoding('utf-8')]],
	])('%s is taken for what it means', async (encoding, body, warnings) => {
		const mail = ['Content-Type: text/plain; charset=utf-8', `Content-Transfer-Encoding: ${encoding}`, '', body];
		expect(await read(...mail)).toMatchObject({text: 'Grüße', warnings});
	});
});
