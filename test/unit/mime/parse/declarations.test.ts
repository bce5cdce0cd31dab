import {describe, expect, test} from 'vitest';
import {sharedParser, sourceOf} from '../test-parser.js';

const parser = sharedParser();

async function read(...lines: string[]) {
	return parser.read('ada', sourceOf(Buffer.from(['Subject: declared', ...lines].join('\r\n'), 'latin1')));
}

const noType = (type: string, readAs = 'text/plain') =>
	`A part declares the invalid type "${type}". It was read as ${readAs}.`;
const unknownEncoding = (name: string) =>
	`A part declares the unknown transfer encoding "${name}". It was not decoded.`;

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
	])('of %s is read as text', async (type, warnings) => {
		const {text, attachments, warnings: found} = await read(`Content-Type: ${type}`, '', 'Gr\xc3\xbc\xc3\x9fe');
		expect({text, attachments, warnings: found}).toEqual({text: 'Grüße', attachments: [], warnings});
	});

	test.each([
		'multipart/mixed (c); boundary=B (x)',
		'multipart/mixed, boundary="B"',
		'multipart/mixed; boundary=B; boundary=C',
	])('of %s is split into its parts', async type => {
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
	])('or disposition declares a file name: %s', async (field, filename, warnings) => {
		const {attachments, warnings: found} = await read(field, '', 'PDF');
		expect(attachments).toMatchObject([{filename, contentType: 'application/pdf', size: 3}]);
		expect(found).toEqual(warnings);
	});

	test('of a megabyte of comments, quotes and semicolons is read within the deadline', async () => {
		for (const unit of ['(', '()', '(a) ', '"', ';', '; ', ' ;a=b', 'a/', ', ', '= ', '\\']) {
			const {warnings} = await read(`Content-Type: ${unit.repeat(1_000_000 / unit.length)}`, '', 'Hello');
			expect(warnings.filter(warning => warning.includes('could be parsed'))).toEqual([]);
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
	])('of %s is recognized', async (encoding, body, warnings) => {
		const mail = ['Content-Type: text/plain; charset=utf-8', `Content-Transfer-Encoding: ${encoding}`, '', body];
		expect(await read(...mail)).toMatchObject({text: 'Grüße', warnings});
	});
});

const bareReturns = 'The mail has carriage returns without a line feed, which some servers reject.';
const noEmptyLine =
	'The empty line after a header section is missing. The lines after its last field were read as the text.';

describe('line ends', () => {
	const rows = [
		'From: ann@a.example',
		'Subject: s',
		'Content-Transfer-Encoding: quoted-printable',
		'',
		'Your code=',
		' is',
		'482913',
	];

	test.each([1, 7, 64 * 1024])('with an extra carriage return are recognized in pieces of %s bytes', async size => {
		const mail = Buffer.from(rows.join('\r\r\n'));
		expect(await parser.read('ada', sourceOf(mail, size))).toMatchObject({
			text: 'Your code is\n482913',
			headers: [{value: 'ann@a.example'}, {value: 's'}, {value: 'quoted-printable'}],
			warnings: [bareReturns],
		});
		const body = Buffer.from([...rows, 'X: y', 'Subject: body'].join('\r\r\n').replace('Subject: s\r\r\n', ''));
		expect(await parser.summarize('ada', body)).toMatchObject({from: 'ann@a.example', subject: ''});
	});

	test('of bare carriage returns cause a warning', async () => {
		const mail = Buffer.from('From: ann@a.example\rSubject: s\r\rYour code is 482913\r\n');
		expect((await parser.read('ada', sourceOf(mail))).warnings).toEqual([bareReturns]);
	});
});

describe('a header section without an empty line', () => {
	const fields = ['From: ann@a.example', 'Subject: s'];
	const body = ['Hello Kim, this is the body', '  with a fold', 'Your code is 482913'];

	test.each([1, 7, 64 * 1024])('ends after its last field in pieces of %s bytes', async size => {
		const mails = [
			[...fields, ...body],
			[...fields, ...body, '', 'Bye'],
		].map(lines => Buffer.from(lines.join('\r\n')));
		const [all, first] = await Promise.all(mails.map(mail => parser.read('ada', sourceOf(mail, size))));
		expect(all).toMatchObject({text: body.join('\n'), codes: ['482913'], warnings: [noEmptyLine]});
		expect(all?.headers.map(({name}) => name)).toEqual(['From', 'Subject']);
		expect(first).toMatchObject({text: [...body, '', 'Bye'].join('\n'), warnings: [noEmptyLine]});
	});

	test('may belong to a part', async () => {
		const {text, warnings} = await read(
			...['Content-Type: multipart/mixed; boundary=b', '', '--b', 'Content-Type: text/plain', ...body, '--b--'],
		);
		expect({text, warnings}).toEqual({text: body.join('\n'), warnings: [noEmptyLine]});
	});

	test('continues after an invalid line if other fields follow', async () => {
		const {text, headers, warnings} = await read('To: kim@a.example', 'no field', 'X-Field: y', '', 'Hello');
		expect({text, warnings}).toEqual({text: 'Hello', warnings: []});
		expect(headers.map(({name}) => name)).toEqual(['Subject', 'To', 'X-Field']);
	});
});
