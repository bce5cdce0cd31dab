import {describe, expect, test} from 'vitest';
import {sharedParser, sourceOf} from '../test-parser.js';

const parser = sharedParser();

const cutOff = 'The mail is truncated or malformed: its closing boundary is missing.';

function mailOf(...lines: string[]): string {
	return ['From: app@example.test', 'Subject: parts', ...lines].join('\r\n');
}

async function read(mail: string) {
	const {text, html, attachments, warnings} = await parser.read('ada', sourceOf(mail));
	const files = await Promise.all(
		attachments.map(async ({id, filename, contentType, disposition}) => ({
			filename,
			contentType,
			disposition,
			bytes: (await parser.attachment('ada', sourceOf(mail), id))?.toString('latin1'),
		})),
	);
	expect(files.map(({bytes}) => bytes?.length)).toEqual(attachments.map(({size}) => size));
	return {text, html, files, warnings};
}

describe('transport padding (RFC 2046, section 5.1.1)', () => {
	test.each([
		['spaces', '  '],
		['tabs', '\t\t'],
		['spaces and tabs', ' \t '],
		['more spaces than the maximum line length', ' '.repeat(5000)],
	])('of %s is not part of the content', async (_name, padding) => {
		const mail = mailOf(
			'Content-Type: multipart/mixed; boundary=outer',
			'',
			`--outer${padding}`,
			'Content-Type: multipart/alternative; boundary=inner',
			'',
			`--inner${padding}`,
			'',
			'Hello -- ',
			`--inner${padding}`,
			'Content-Type: text/html',
			'',
			'<p>Hello</p>',
			`--inner--${padding}`,
			`--outer${padding}`,
			'Content-Type: application/x-notes',
			'',
			'-- ',
			'--inner  ',
			`--outer--${padding}`,
			'',
		);
		expect(await read(mail)).toEqual({
			text: 'Hello -- ',
			html: '<p>Hello</p>',
			files: [{filename: '', contentType: 'application/x-notes', disposition: null, bytes: '-- \r\n--inner  '}],
			warnings: [],
		});
	});

	test('after a boundary declared with a trailing space is ignored', async () => {
		const mail = mailOf('Content-Type: multipart/mixed; boundary="b "', '', '--b', '', 'Hello', '--b-- ');
		expect(await read(mail)).toMatchObject({text: 'Hello', warnings: []});
	});

	test('may follow a boundary that ends in two hyphens', async () => {
		const mail = mailOf('Content-Type: multipart/mixed; boundary="b--"', '', '--b--', '', 'Hello', '--b---- ');
		expect(await read(mail)).toMatchObject({text: 'Hello', warnings: []});
	});
});

describe('text parts with a file name', () => {
	test('are attachments if they are inline after another text', async () => {
		const mail = mailOf(
			'Content-Type: multipart/mixed; boundary=b',
			'',
			'--b',
			'',
			'See the notes.',
			'--b',
			'Content-Type: text/plain; charset=utf-8',
			'Content-Disposition: inline; filename=notes.txt',
			'Content-Transfer-Encoding: quoted-printable',
			'',
			'caf=C3=A9',
			'--b',
			'Content-Type: text/html; name=page.html',
			'Content-Disposition: inline',
			'',
			'<p>Page</p>',
			'--b--',
		);
		expect(await read(mail)).toEqual({
			text: 'See the notes.',
			html: '',
			files: [
				{filename: 'notes.txt', contentType: 'text/plain', disposition: 'inline', bytes: 'caf\xc3\xa9'},
				{filename: 'page.html', contentType: 'text/html', disposition: 'inline', bytes: '<p>Page</p>'},
			],
			warnings: [],
		});
	});

	test('are bodies without a disposition', async () => {
		const mail = mailOf('Content-Type: text/plain; name="mail.txt"', '', 'Hello');
		expect(await read(mail)).toMatchObject({text: 'Hello', files: []});
	});

	test.each([
		['text/plain', 'text/plain; name="log.txt"', 'See the log.', 'Your code is 999111', true],
		['text/html', 'text/plain; name="log.txt"', '<p>See the log.', 'Your code is 999111', true],
		['text/html', 'text/html; name="log.html"', '<p>See the log.', '<p>Your code is 999111', true],
		['text/plain', 'text/html; name="mail.html"', 'See below.', '<p>Your code is 999111', false],
		['text/plain; name="a.txt"', 'text/plain; name="b.txt"', '', 'Your code is 999111', false],
		['application/pdf', 'text/plain; name="mail.txt"', 'PDF', 'Your code is 999111', false],
	])(
		'after %s, of type %s, are files only after a text of the same kind without a name',
		async (first, second, one, two, isFile) => {
			const mail = mailOf(
				...['Content-Type: multipart/mixed; boundary=b', '', '--b', `Content-Type: ${first}`, '', one],
				...['--b', `Content-Type: ${second}`, '', two, '--b--'],
			);
			const {text, html, files} = await read(mail);
			expect(files.some(({bytes}) => bytes === two)).toBe(isFile);
			expect((text + html).includes('999111')).toBe(!isFile);
		},
	);

	test('are also bodies if they are the first text', async () => {
		const mail = mailOf('Content-Disposition: inline; filename=mail.txt', 'Content-Type: text/plain', '', 'Hello');
		expect(await read(mail)).toMatchObject({text: 'Hello', files: [{filename: 'mail.txt', bytes: 'Hello'}]});
	});

	test('are also bodies if they are alternatives', async () => {
		const mail = mailOf(
			'Content-Type: multipart/alternative; boundary=b',
			'',
			'--b',
			'Content-Type: text/plain',
			'Content-Disposition: inline; filename=mail.txt',
			'',
			'Hello',
			'--b',
			'Content-Type: text/html',
			'Content-Disposition: inline; filename=mail.html',
			'',
			'<p>Hello</p>',
			'--b--',
		);
		expect(await read(mail)).toMatchObject({
			text: 'Hello',
			html: '<p>Hello</p>',
			files: [{filename: 'mail.txt'}, {filename: 'mail.html'}],
		});
	});
});

describe('a mail attached to a mail', () => {
	const inner = [
		'From: other@example.test',
		'Subject: Your code is 123456',
		'Content-Type: multipart/mixed; boundary=inner',
		'',
		'--inner  ',
		'Content-Type: text/html',
		'',
		'<a href="https://example.test/">Your code is 123456</a>',
		'--inner',
		'Content-Type: application/pdf; name=inner.pdf',
		'',
		'PDF',
		'--inner--',
		'',
	].join('\r\n');

	test.each([
		['multipart/mixed', ['Content-Type: message/rfc822', 'Content-Disposition: inline'], 'inline'],
		['multipart/mixed', ['Content-Type: message/rfc822'], null],
		['multipart/mixed', ['Content-Type: MESSAGE/RFC822', 'Content-Disposition: attachment'], 'attachment'],
		['multipart/report', ['Content-Type: message/rfc822', 'Content-Disposition: inline'], 'inline'],
		['multipart/digest', ['Content-Type: message/rfc822', 'Content-Disposition: inline'], 'inline'],
		['multipart/digest', [], null],
		['multipart/digest', ['Content-Disposition: inline'], 'inline'],
	])('in %s with %j is not parsed', async (container, header, disposition) => {
		const mail = mailOf(
			`Content-Type: ${container}; boundary=outer`,
			'',
			'--outer',
			'Content-Type: text/plain',
			'',
			'See below.',
			'--outer',
			...header,
			'',
			`${inner}\r\n--outer--`,
			'',
		);
		expect(await read(mail)).toEqual({
			text: 'See below.',
			html: '',
			files: [{filename: '', contentType: 'message/rfc822', disposition, bytes: inner}],
			warnings: [],
		});
	});

	test('is an attachment even without other parts', async () => {
		const mail = mailOf('Content-Type: message/rfc822', 'Content-Disposition: inline', '', inner);
		expect(await read(mail)).toMatchObject({text: '', html: '', files: [{bytes: inner}]});
	});
});

describe('parts with a missing boundary', () => {
	test.each([
		['not declared', 'multipart/mixed'],
		['not used', 'multipart/mixed; boundary=b'],
	])('are read as text if the boundary is %s', async (_name, type) => {
		const mail = mailOf(`Content-Type: ${type}`, '', 'Your code is 123456', '');
		expect(await read(mail)).toEqual({text: 'Your code is 123456\n', html: '', files: [], warnings: [cutOff]});
	});

	test('are read as text within other parts', async () => {
		const mail = mailOf(
			'Content-Type: multipart/mixed; boundary=outer',
			'',
			'--outer',
			'Content-Type: multipart/alternative; boundary=inner',
			'',
			'Hello',
			'--outer',
			'Content-Type: text/plain',
			'',
			'Bye',
			'--outer--',
		);
		expect(await read(mail)).toEqual({text: 'Hello\nBye', html: '', files: [], warnings: [cutOff]});
	});

	test.each([
		['continues', '--outer'],
		['ends', '--outer--'],
	])('end at a boundary of an outer part that %s', async (_name, delimiter) => {
		const mail = mailOf(
			'Content-Type: multipart/mixed; boundary=outer',
			'',
			'--outer',
			'Content-Type: multipart/related; boundary=middle',
			'',
			'--middle',
			'Content-Type: multipart/alternative; boundary=inner',
			'',
			'--inner',
			'',
			'Hello',
			delimiter,
			'Content-Type: application/pdf',
			'',
			'PDF',
			'--outer--',
		);
		const isOpen = delimiter === '--outer';
		expect(await read(mail)).toEqual({
			text: 'Hello',
			html: '',
			files: isOpen ? [{filename: '', contentType: 'application/pdf', disposition: null, bytes: 'PDF'}] : [],
			warnings: [cutOff],
		});
	});

	test('are read to the end of a long mail', async () => {
		const mail = mailOf(
			'Content-Type: multipart/alternative; boundary=b',
			'',
			'--b',
			'',
			'Hello',
			'--b',
			'Content-Type: text/html',
			'',
			'<p>Hello</p>\r\n'.repeat(200_000),
		);
		expect(await read(mail)).toMatchObject({text: 'Hello', html: '<p>Hello</p>\n'.repeat(200_000), warnings: [cutOff]});
	});

	test('may end with their header section', async () => {
		const mail = mailOf(
			'Content-Type: multipart/mixed; boundary=b',
			'',
			'--b',
			'Content-Type: application/pdf; name=empty.pdf',
			'--b',
			'',
			'Hello',
			'--b--',
		);
		expect(await read(mail)).toMatchObject({text: 'Hello', files: [{filename: 'empty.pdf', bytes: ''}]});
	});
});

describe('text of format=flowed (RFC 3676)', () => {
	const flowed = async (type: string, ...lines: string[]) => {
		const {text} = await read(mailOf(`Content-Type: text/plain; charset=utf-8; ${type}`, '', ...lines));
		return text.split('\n');
	};

	test('is joined to one line per paragraph', async () => {
		const lines = await flowed('format=flowed', 'One ', 'two ', 'three', '', ' From here', '  to ', 'there', '');
		expect(lines).toEqual(['One two three', '', 'From here', ' to there', '']);
	});

	test('is joined per quoting depth', async () => {
		const lines = await flowed(
			'Format=Flowed',
			...['> She said: ', '>> Quoted ', '>> twice ', '> and ', '> once.', '>', '> > no quote ', 'Answer ', '> Quote.'],
		);
		expect(lines).toEqual([
			'> She said: ',
			'>> Quoted twice ',
			'> and once.',
			'>',
			'> > no quote ',
			'Answer ',
			'> Quote.',
		]);
	});

	test('keeps signature separators', async () => {
		const lines = await flowed('format=flowed', 'Bye ', '-- ', 'Ann ', 'Example', '> Bye ', '> -- ', '> Bob');
		expect(lines).toEqual(['Bye ', '-- ', 'Ann Example', '> Bye ', '> -- ', '> Bob']);
	});

	test('loses the spaces added by delsp=yes', async () => {
		const lines = await flowed(
			'format=flowed; delsp=yes',
			'Das ist ei ',
			'n Wort ',
			' ',
			'mit',
			'> Zi ',
			'> tat',
			'-- ',
			'Ann',
		);
		expect(lines).toEqual(['Das ist ein Wort', 'mit', '> Zitat', '-- ', 'Ann']);
	});

	test('is not recognized in HTML', async () => {
		const mail = mailOf('Content-Type: text/html; format=flowed', '', '<pre>one ', 'two</pre>');
		expect(await read(mail)).toMatchObject({html: '<pre>one \ntwo</pre>'});
	});
});

test('quoted-printable is decoded as in RFC 2045, section 6.7, and invalid sequences remain', async () => {
	const lines = ['caf=C3=a9 =', 'au lait \t', '=20', 'a=3D=4=', ' =', '=GG', `x${' '.repeat(3_000_000)}y`];
	const mail = mailOf(
		'Content-Type: text/plain; charset=utf-8',
		'Content-Transfer-Encoding: quoted-printable',
		'',
		...lines,
	);
	const {text} = await read(mail);
	expect(text.slice(0, 40)).toBe(`café au lait\n \na==4 =GG\nx${' '.repeat(15)}`);
	expect(text.endsWith(' y')).toBe(true);
});

describe('base64', () => {
	test.each([
		['in lines of one character', 'Q\r\nU\r\nJ\r\nD', 'ABC'],
		['with padding on each line', 'QQ==\r\nQkI=\r\nQ0ND', 'ABBCCC'],
		['with other characters', 'QUJD\r\n*.RERE', 'ABCDDD'],
		['without padding', 'QUJDRA', 'ABCD'],
		['that ends in a single character', 'QUJDR', 'ABC'],
	])('%s is decoded', async (_name, body, text) => {
		const mail = mailOf('Content-Transfer-Encoding: base64', '', body);
		expect(await read(mail)).toMatchObject({text, warnings: []});
	});

	test.each([1, 3, 100_000])('declared for a plain text is ignored in pieces of %s bytes', async size => {
		const body = '\r\nHello Ann,\r\n\r\nyour code is 482913.\r\n';
		const mail = Buffer.from(mailOf('Content-Transfer-Encoding: base64', '', body));
		const {text, codes} = await parser.read('ada', sourceOf(mail, size));
		expect({text, codes}).toEqual({text: body.replaceAll('\r\n', '\n'), codes: ['482913']});
	});

	test('of a text with a single long word is decoded', async () => {
		const word = 'x'.repeat(300_000);
		const mail = mailOf('Content-Transfer-Encoding: base64', '', Buffer.from(word).toString('base64'));
		expect(await read(mail)).toMatchObject({text: word});
	});

	test('of a file is decoded despite other characters', async () => {
		const mail = mailOf('Content-Type: application/x-file', 'Content-Transfer-Encoding: base64', '', '* QUJD');
		expect(await read(mail)).toMatchObject({files: [{bytes: 'ABC'}]});
	});
});

test('a part without a header section keeps its first line', async () => {
	const mail = mailOf(
		...['Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'One', '--b', 'Two words', '', 'Three', '--b'],
		...['X-Field: y', '', 'Four', '--b', 'Five: none', '', 'Six', '--b', ' ', 'Seven', '--b--'],
	);
	expect(await read(mail)).toMatchObject({text: 'One\nTwo words\n\nThree\nFour\nSix\nSeven'});
});

test.each(['boundary="B o"', 'boundary=Bo', '\r\n\tBOUNDARY = Bo'])(
	'a boundary parameter without a semicolon is recognized: %s',
	async parameter => {
		const boundary = parameter.includes('"') ? 'B o' : 'Bo';
		const mail = mailOf(
			`Content-Type: multipart/alternative ${parameter}`,
			...[
				'',
				`--${boundary}`,
				'',
				'Plain',
				`--${boundary}`,
				'Content-Type: text/html',
				'',
				'<p>HTML',
				`--${boundary}--`,
			],
		);
		expect(await read(mail)).toEqual({text: 'Plain', html: '<p>HTML', files: [], warnings: []});
	},
);
