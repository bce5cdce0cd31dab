import fc from 'fast-check';
import {expect, test} from 'vitest';
import {readText} from '../../../../src/mime/parse/text-decoding.js';
import {sharedParser, sourceOf} from '../test-parser.js';

const parser = sharedParser();

/** A mail with a single 8-bit body. */
function mailOf(type: string, body: Buffer | string, fields = ''): Buffer {
	const head = `${fields}Content-Type: ${type}\r\nContent-Transfer-Encoding: 8bit\r\n\r\n`;
	return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const undeclared = (charset: string) =>
	`A text has non-ASCII characters but declares no character set. It was decoded as ${charset}.`;
const notUtf8 = (charset: string) =>
	`A text declares the character set UTF-8 but contains invalid bytes. It was decoded as ${charset}.`;
const unknown = (name: string, charset: string) =>
	`A text declares the unknown character set "${name}". It was decoded as ${charset}.`;

const invalidBytes = (name: string, charset: string) =>
	`A text declares the character set "${name}" but contains invalid bytes. It was decoded as ${charset}.`;

const html = 'text/html';
const meta = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">';

test.each<[string, string, Buffer | string, string, string[]]>([
	['in plain ASCII', 'text/plain', 'plain', 'plain', []],
	['in undeclared UTF-8', 'text/plain', 'Grüße', 'Grüße', [undeclared('UTF-8')]],
	[
		'in an undeclared 8-bit character set',
		'text/plain',
		latin1('\x93caf\xe9\x94'),
		'“café”',
		[undeclared('windows-1252')],
	],
	[
		'in 8-bit characters declared as ASCII',
		'text/plain; charset=us-ascii',
		latin1('caf\xe9'),
		'café',
		[undeclared('windows-1252')],
	],
	[
		'with a character set declared in its HTML',
		html,
		latin1(`${meta}\xb3\xf3d\xbc`),
		`${meta}łódź`,
		[undeclared('iso-8859-2')],
	],
	[
		'with a character set declared in a short HTML tag',
		html,
		latin1('<META CHARSET=koi8-r>\xf0\xf2\xe9'),
		'<META CHARSET=koi8-r>ПРИ',
		[undeclared('koi8-r')],
	],
	[
		'with a wrong declaration of UTF-8 in its HTML',
		html,
		latin1('<meta charset=utf-8>\xe9'),
		'<meta charset=utf-8>é',
		[undeclared('windows-1252')],
	],
	[
		'with a wrong declaration of UTF-16 in its HTML',
		html,
		'<meta charset=utf-16>é',
		'<meta charset=utf-16>é',
		[undeclared('UTF-8')],
	],
	[
		'with an unknown character set in its HTML',
		html,
		'<meta charset=x-y>é',
		'<meta charset=x-y>é',
		[undeclared('UTF-8')],
	],
	['in UTF-8 with another character set in its HTML', `${html}; charset=utf-8`, `${meta}é`, `${meta}é`, []],
	[
		'in 8-bit characters declared as UTF-8',
		'text/plain; charset=utf-8',
		latin1('caf\xe9 \x80'),
		'café €',
		[notUtf8('windows-1252')],
	],
	[
		'declared as UTF-8 with the correct character set in its HTML',
		`${html}; charset=UTF8`,
		latin1(`${meta}\xb3`),
		`${meta}ł`,
		[notUtf8('iso-8859-2')],
	],
	[
		'in truncated UTF-8',
		'text/plain; charset=utf-8',
		Buffer.from('Grüße é').subarray(0, -1),
		'Grüße \ufffd',
		[`A text declares the character set UTF-8 but contains invalid bytes. They appear as "\ufffd".`],
	],
	['in an unknown character set', 'text/plain; charset=x-nothing', 'é', 'é', [unknown('x-nothing', 'UTF-8')]],
	[
		'in the unknown character set 8bit',
		'text/plain; charset=8bit',
		latin1('\x80'),
		'€',
		[unknown('8bit', 'windows-1252')],
	],
	['with a byte order mark', 'text/plain; charset=utf-8', '\ufeffé', 'é', []],
	['in Windows-1252', 'text/plain; charset=windows-1252', latin1('\x93\x85\x94'), '“…”', []],
	['in HZ-GB-2312', 'text/plain; charset=HZ-GB-2312', 'code~~~{VPND~}: 1~\r\n2', 'code~中文: 12', []],
	['in HZ-GB-2312 with a missing shift sequence', 'text/plain; charset=hz-gb-2312', '~{VPND\r\nok', '中文\nok', []],
	['in ISO-2022-KR', 'text/plain; charset=iso-2022-kr', '\x1b$)C\x0eGQ1[\x0f: 1', '한글: 1', []],
	['in Johab', 'text/plain; charset=johab', latin1('\xd0\x65'), 'Ðe', [unknown('johab', 'windows-1252')]],
	['in UTF-16', 'text/plain; charset=utf-16', latin1('\xfe\xff\x04\x1f\x0d\x0a'), 'Пഊ', []],
	['in ISO-2022-JP', 'text/plain; charset=iso-2022-jp', '\x1b$B%F%9%H\x1b(B', 'テスト', []],
	['in ISO-2022-JP-MS', 'text/plain; charset=ISO-2022-JP-MS', '\x1b$B%F%9%H\x1b(B', 'テスト', []],
	['in ISO-2022-JP declared as jis', 'text/plain; charset=jis', '\x1b$B%F%9%H\x1b(B', 'テスト', []],
	[
		'in ISO-2022-JP with an empty ASCII section',
		'text/plain; charset=iso-2022-jp',
		'\x1b$B%F\x1b(B\x1b$B%9%H\x1b(J',
		'テスト',
		[],
	],
	[
		'in EUC-JP declared as eucJP-win',
		'text/plain; charset=eucJP-win',
		latin1('\xa5\xc6\xa5\xb9\xa5\xc8'),
		'テスト',
		[],
	],
	[
		'in GB2312 with an invalid byte',
		'text/plain; charset=gb2312',
		latin1('\xd6\xd0\xce\xc4\xb0'),
		'中文\ufffd',
		['A text declares the character set "gb2312" but contains invalid bytes. They appear as "\ufffd".'],
	],
	...['gb2312', 'gbk', 'gb18030', 'iso-2022-jp', 'shift_jis', 'euc-jp', 'euc-kr', 'big5', 'hz-gb-2312', 'utf-7'].map(
		(name): [string, string, string, string, string[]] => [
			`in UTF-8 declared as ${name}`,
			`text/plain; charset=${name}`,
			'您的登录验证码是 482913',
			'您的登录验证码是 482913',
			[invalidBytes(name, 'UTF-8')],
		],
	),
	[
		'in ASCII declared as UTF-16',
		`${html}; charset=utf-16`,
		'<p>482913</p>',
		'<p>482913</p>',
		[invalidBytes('utf-16', 'UTF-8')],
	],
	['of one GBK character', 'text/plain; charset=gbk', latin1('\xd2\xbb'), '一', []],
	...['ANSI_X3.4-1968', 'cp367', 'iso646-us', 'US'].map((name): [string, string, string, string, string[]] => [
		`in UTF-8 declared as ${name}`,
		`text/plain; charset=${name}`,
		'Grüße',
		'Grüße',
		[undeclared('UTF-8')],
	]),
	['in undeclared UTF-16 with a byte order mark', 'text/plain', latin1('\xff\xfeh\x00i\x00'), 'hi', []],
	[
		'with a character set declared in its XML',
		html,
		latin1('<?xml encoding="koi8-r"?>\xf0'),
		'<?xml encoding="koi8-r"?>П',
		[undeclared('koi8-r')],
	],
	['in Big5-HKSCS', 'text/plain; charset=big5-hkscs', latin1('\xa7A\x9d\xef\x9d\xf6'), '你嘅喺', []],
	['in UTF-7', 'text/plain; charset=utf-7', 'Fr+APY-sche +2D3eAA-: 1+-1=2 +AOk.+', 'Frösche 😀: 1+1=2 é.', []],
])('a text %s is decoded', async (_name, type, body, text, warnings) => {
	const {text: plain, html, warnings: found} = await parser.read('ada', sourceOf(mailOf(type, body)));
	expect({text: html || plain, warnings: found}).toEqual({text, warnings});
});

test('the preview document decodes the text like the message', async () => {
	const mail = mailOf(html, latin1(`${meta}\xb3\xf3d\xbc`));
	expect(Buffer.from(await parser.document('ada', sourceOf(mail))).toString()).toContain('łódź');
});

test('the same warning about a character set is given once', async () => {
	const part = `--b\r\nContent-Type: text/plain\r\n\r\n\xe9\r\n`;
	const mail = latin1(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${part}${part}--b--\r\n`);
	expect((await parser.read('ada', sourceOf(mail))).warnings).toEqual([undeclared('windows-1252')]);
});

test.each([1, 2, 1024])(
	'a byte order mark before the first header field is ignored in a mail in pieces of %s bytes',
	async size => {
		const mail = Buffer.from('\ufeffSubject: Mark\r\nContent-Type: text/html\r\n\r\n<p>\r\n');
		const {headers, html} = await parser.read('ada', sourceOf(mail, size));
		expect(headers[0]).toEqual({name: 'Subject', value: 'Mark'});
		expect(html).toBe('<p>\n');
		expect(await parser.summarize('ada', mail)).toMatchObject({subject: 'Mark'});
	},
);

test.each([
	['eucjp-ms', '\xa4\xa2'],
	['jis', '\x1b$B%F\x1b(B'],
	['utf-7-imap', '&'],
])('a text of 10 MB in %s is decoded within the deadline', async (charset, unit) => {
	const mail = mailOf(`text/plain; charset=${charset}`, latin1(unit.repeat(10_000_000 / unit.length)));
	const {warnings} = await parser.read('ada', sourceOf(mail));
	expect(warnings.filter(warning => warning.includes('could be parsed'))).toEqual([]);
});

test('encoded words in an unknown character set cause a warning, and summaries support character sets that Node.js lacks', async () => {
	const mail = Buffer.from('From: a@a.example\r\nSubject: =?johab?B?w6k=?= x =?big5?B?ne8=?=\r\n\r\nx');
	expect(await parser.summarize('ada', mail)).toMatchObject({subject: 'é x 嘅'});
	expect((await parser.read('ada', sourceOf(mail))).warnings).toEqual([
		'A header field has words in the unknown character set "johab". They were decoded as UTF-8.',
	]);
});

test('a long, mostly invalid text is decoded as windows-1252 after its first piece', async () => {
	const broken = 'pieces \xff\xff\xff\xff\xff'.repeat(200_000);
	const {text, warnings} = await parser.read(
		'ada',
		sourceOf(mailOf('text/plain; charset=shift_jis', latin1(`${broken}the end`))),
	);
	expect(text).toMatch(/^pieces \ufffd{5}pieces .* \xff{5}the end$/s);
	expect(text).toHaveLength(broken.length + 'the end'.length);
	expect(warnings).toEqual([
		'A text declares the character set "shift_jis" but contains invalid bytes. They appear as "\ufffd".',
	]);
});

test.each([
	['shift_jis', '\xff', '\x82\xa0', 4],
	['big5', '\xff', '\xa4\x40', 2.5],
	['big5', 'x\xe9\r\n', '\xa4\x40', 2.5],
	['hz-gb-2312', '\xff', '~{R;~}', 4],
	['iso-2022-kr', '\xff', '\x0e0!\x0f', 4],
])('an invalid text in %s (%j) costs hardly more CPU time than a valid one', (charset, unit, letter, maxRatio) => {
	const cpuTimeOfRepeated = (text: string) => cpuTimeOf(charset, Buffer.alloc(8 * 1024 * 1024, text, 'latin1'));
	const ratios = [1, 2, 3, 4].map(() => cpuTimeOfRepeated(unit) / cpuTimeOfRepeated(letter));
	expect(Math.min(...ratios)).toBeLessThan(maxRatio);
});

/** CPU time to decode a text. Other processes do not affect it. */
function cpuTimeOf(charset: string, bytes = Buffer.of()): number {
	const before = process.cpuUsage();
	readText(bytes, charset);
	const {user, system} = process.cpuUsage(before);
	return user + system;
}

const wide = (text: string) => Buffer.from(text, 'utf16le');
const bytewise = (letter: string, bytes: Buffer | string) => (text: string) =>
	Buffer.concat([...text].map(sign => (sign === letter ? Buffer.from(bytes as string, 'latin1') : Buffer.from(sign))));

test.each<[string, string, (text: string) => Buffer]>([
	['us-ascii', 'a', bytewise('a', 'a')],
	['utf-8', 'あ', bytewise('あ', Buffer.from('あ'))],
	['x-nothing', 'あ', bytewise('あ', Buffer.from('あ'))],
	['windows-1252', 'é', bytewise('é', '\xe9')],
	['shift_jis', 'あ', bytewise('あ', '\x82\xa0')],
	['euc-jp', 'あ', bytewise('あ', '\xa4\xa2')],
	['iso-2022-jp', 'あ', bytewise('あ', '\x1b$B$"\x1b(B')],
	['big5', '一', bytewise('一', '\xa4\x40')],
	['gb18030', '一', bytewise('一', '\xd2\xbb')],
	['euc-kr', '가', bytewise('가', '\xb0\xa1')],
	['iso-2022-kr', '가', bytewise('가', '\x0e0!\x0f')],
	['hz-gb-2312', '一', bytewise('一', '~{R;~}')],
	['utf-7', 'あ', bytewise('あ', '+MEI-')],
	['utf-7', '\r', bytewise('\r', '+AA0-')],
	['utf-16le', '\u0a0d', wide],
	['utf-16be', '\u0d0a', text => wide(text).swap16()],
	['utf-32le', '\u0a0d', text => Buffer.concat([...text].map(sign => Buffer.concat([wide(sign), Buffer.alloc(2)])))],
])('the lines of a text in %s with %j end in line feeds', (charset, letter, bytesOf) => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom('x', ' ', '\r', '\n', '\r\n', letter)), signs => {
			const text = `x${signs.join('')}`;
			expect(readText(bytesOf(text), charset).text).toBe(text.replace(/\r+\n/g, '\n'));
		}),
	);
});
