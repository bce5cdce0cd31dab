import fc from 'fast-check';
import {expect, test} from 'vitest';
import {readMultipart} from '../../../src/send/mailgun/form.js';
import {withTimeLimit} from '../../helpers/time-limit.js';

/** Names that FormData does not escape. */
const name = fc.string({unit: 'grapheme', minLength: 1}).filter(text => !/[\\%\p{Cc}]/u.test(text));

const field = fc.record({name, text: fc.string({unit: 'grapheme'})});
const file = fc.record({
	name,
	bytes: fc.uint8Array(),
	filename: name,
	type: fc.constantFrom('', 'text/csv', 'image/png'),
});

async function bodyOf(form: FormData) {
	const response = new Response(form);
	const [, boundary = ''] = /boundary=(.+)$/.exec(response.headers.get('content-type') ?? '') ?? [];
	return {boundary, body: Buffer.from(await response.arrayBuffer())};
}

test('any multipart form is parsed back to its fields', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(fc.oneof(field, file), {minLength: 1}), async fields => {
			const form = new FormData();
			for (const one of fields) {
				if ('text' in one) {
					form.append(one.name, one.text);
				} else {
					form.append(one.name, new Blob([one.bytes], {type: one.type}), one.filename);
				}
			}

			const {boundary, body} = await bodyOf(form);
			const read = readMultipart(body, boundary, fields.length);
			expect(read?.map(({name, filename, value}) => ({name, filename, value: value.toString('hex')}))).toEqual(
				fields.map(one => ({
					name: one.name,
					filename: 'text' in one ? undefined : one.filename,
					// Text fields are sent with CRLF line ends.
					value: Buffer.from('text' in one ? one.text.replace(/\r?\n|\r/g, '\r\n') : one.bytes).toString('hex'),
				})),
			);
			expect(readMultipart(body, boundary, fields.length - 1)).toBeUndefined();
		}),
	);
});

test.each([
	['escaped by a backslash', 'name="a"; filename="say \\"hi\\" \\\\ now.txt"', 'say "hi" \\ now.txt'],
	['with a percent sign', 'name="a"; filename="say %22hi%22.txt"', 'say "hi".txt'],
	['without quotes', 'name=a; filename=a.txt', 'a.txt'],
	['of RFC 5987', `name="a"; filename="x.txt"; filename*=utf-8''%C3%BC.txt`, 'ü.txt'],
	['empty', 'name="a"; filename=""', ''],
])('a file name is parsed: %s', (_, parameters, filename) => {
	const body = `--b\r\nContent-Disposition: form-data; ${parameters}\r\nContent-Type: text/plain\r\n\r\n1\r\n--b--\r\n`;
	expect(readMultipart(Buffer.from(body), 'b', 10)).toEqual([
		{name: 'a', filename, contentType: 'text/plain', value: Buffer.from('1')},
	]);
});

test.each([
	['no content', ''],
	['no closing boundary', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1'],
	['a part without a name', '--b\r\nContent-Type: text/plain\r\n\r\n1\r\n--b--\r\n'],
	['a part without headers', '--b\r\n--b--'],
])('a multipart body with %s is rejected', (_, body) => {
	expect(readMultipart(Buffer.from(body), 'b', 10)).toBeUndefined();
});

test('parsing a multipart body takes linear time', () => {
	withTimeLimit(() => {
		readMultipart(Buffer.from('--b\r\nx: y\r\n\r\n'.repeat(500_000)), 'b', 10_000);
		readMultipart(Buffer.from(`--b\r\n\r\n${'\r\n--'.repeat(5_000_000)}`), 'b', 10_000);
		readMultipart(
			Buffer.from(`--b\r\nContent-Disposition: form-data; name="${'\\"'.repeat(8_000)}\r\n\r\n1\r\n--b--`),
			'b',
			10_000,
		);
	});
});
