import {gzipSync} from 'node:zlib';

const html = 'Content-Type: text/html\r\n\r\n';
const mixed = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n';

/** @param {string} charset */
const inCharset = charset => `Content-Type: text/plain; charset=${charset}\r\n\r\n`;

/**
 * Compressed zeros as lines of Base64.
 * @param {number} bytes size before compression
 */
const gzippedZeros = bytes => gzipSync(Buffer.alloc(bytes)).toString('base64').replace(/.{76}/g, '$&\r\n');

/**
 * Mails that exhaust the time or memory of a naive parser. Functions, because some are large.
 * @type {Record<string, () => string>}
 */
export const bombs = {
	'2 MB of nested elements': () => html + '<div>'.repeat(400_000),
	'2 MB of nested tables': () => html + '<table><tr><td>'.repeat(140_000),
	'2 MB of nested lists': () => html + '<ul><li>'.repeat(250_000),
	'2 MB of nested quotes': () => html + '<blockquote>'.repeat(170_000),
	'a table of a million cells': () => `${html}<table><tr>${'<td>x'.repeat(400_000)}</table>`,
	'unclosed comments': () => html + '<!--'.repeat(500_000),
	'unclosed tags': () => html + '<'.repeat(2_000_000),
	'unclosed attributes': () => html + '<a href="'.repeat(200_000),
	'a million attributes': () => `${html}<a ${'x '.repeat(1_000_000)}>`,
	'a million entities': () => html + '&amp;'.repeat(400_000),
	'entities without an end': () => html + '&#'.repeat(1_000_000),
	'a million links': () => html + '<a href=http://a.test>'.repeat(90_000),
	'links in plain text': () => `\r\n${'http://a.test/'.repeat(150_000)}`,
	'one very long word': () => `\r\n${'a'.repeat(5_000_000)}`,
	'digits without an end': () => `\r\n${'123456 '.repeat(300_000)}`,
	'codes without an end': () => `\r\n${'your code is '.repeat(150_000)}`,
	'900 nested multiparts': () =>
		Array.from({length: 900}, (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`).join(''),
	'10,000 nested messages': () => 'Content-Type: message/rfc822\r\n\r\n'.repeat(10_000),
	'a million empty parts': () => mixed + '--b\r\n\r\n'.repeat(1_000_000),
	'100,000 attachments': () =>
		mixed + '--b\r\nContent-Disposition: attachment; filename=a\r\n\r\nx\r\n'.repeat(100_000),
	'a boundary of 1 MB': () => `Content-Type: multipart/mixed; boundary=${'b'.repeat(1_000_000)}\r\n\r\n`,
	'boundaries that almost match': () => mixed + `--${'b'.repeat(70)}\r\n-`.repeat(60_000),
	'one endless field': () => `X-Flood: ${'x'.repeat(3_000_000)}`,
	'encoded recipients': () => `To: ${'=?utf-8?B?w6k=?= <a@b.test>,\r\n '.repeat(30_000)}x@y.test\r\n\r\n`,
	'encoded words of many character sets': () =>
		`Subject: ${Array.from({length: 40_000}, (_, at) => `=?x${at}?Q?a?= a\r\n `).join('')}\r\n\r\n`,
	'carriage returns in a field': () => `X-Flood: ${'\r'.repeat(900_000)}x\r\n\r\n`,
	'300,000 fields': () => 'X-Flood: x\r\n'.repeat(300_000),
	'500,000 folds': () => `X-Flood:${'\r\n x'.repeat(500_000)}`,
	'a field without a name': () => ':'.repeat(1_000_000),
	'encoded words without an end': () => `Subject: ${'=?utf-8?B?'.repeat(100_000)}\r\n\r\n`,
	'encoded words in a row': () => `Subject: ${'=?utf-8?Q?=C3?= '.repeat(60_000)}\r\n\r\n`,
	'addresses without an end': () => `From: ${'<"a@'.repeat(100_000)}\r\nCc: ${'x:'.repeat(100_000)}\r\n\r\n`,
	'groups in groups': () => `To: ${'a:'.repeat(300_000)}\r\n\r\n`,
	'comments in comments': () => `To: ${'('.repeat(500_000)}\r\n\r\n`,
	'100,000 recipients in a field': () => `To: ${'a@b.test, '.repeat(100_000)}\r\n\r\n`,
	'continued parameters': () =>
		`Content-Type: text/plain; ${Array.from({length: 50_000}, (_, at) => `a*${at}="x"; `).join('')}\r\n\r\n`,
	'base64 that is none': () => `Content-Transfer-Encoding: base64\r\n\r\n${'===='.repeat(500_000)}`,
	'5 MB of quoted-printable': () => `Content-Transfer-Encoding: quoted-printable\r\n\r\n${'=\r\n'.repeat(1_500_000)}`,
	'uuencoded text': () => `Content-Transfer-Encoding: x-uuencode\r\n\r\nbegin 644 a\r\n${'M\r\n'.repeat(300_000)}`,
	'an unknown character set': () => `${inCharset('x-nothing')}${'\xff'.repeat(1_000_000)}`,
	'shifts of ISO-2022-JP': () => inCharset('iso-2022-jp') + '\x1b$B\x1b(B'.repeat(200_000),
	'shifts of UTF-7': () => inCharset('utf-7') + '+-+AAA'.repeat(200_000),
	'half characters of UTF-16': () => inCharset('utf-16le') + '\x00\xd8'.repeat(500_000),
	'an archive that grows a thousandfold': () =>
		`Content-Type: application/gzip\r\nContent-Transfer-Encoding: base64\r\n\r\n${gzippedZeros(100_000_000)}`,
	'a compressed body': () => `Content-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n${gzippedZeros(100_000_000)}`,
	zeros: () => '\0'.repeat(3_000_000),
	'blank lines': () => '\r\n'.repeat(1_000_000),
};
