import fc from 'fast-check';
import {expect, test} from 'vitest';
import {readMultipart} from '../../../src/send/mailgun/form.js';
import {withTimeLimit} from '../../helpers/time-limit.js';

/** What browsers and Node write into names as it is. */
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

test('any form is read as it was written', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(fc.oneof(field, file), {minLength: 1}), async given => {
			const form = new FormData();
			for (const one of given) {
				if ('text' in one) {
					form.append(one.name, one.text);
				} else {
					form.append(one.name, new Blob([one.bytes], {type: one.type}), one.filename);
				}
			}

			const {boundary, body} = await bodyOf(form);
			const read = readMultipart(body, boundary, given.length);
			expect(read?.map(({name, filename, value}) => ({name, filename, value: value.toString('hex')}))).toEqual(
				given.map(one => ({
					name: one.name,
					filename: 'text' in one ? undefined : one.filename,
					// Texts are sent with line ends of CR and LF.
					value: Buffer.from('text' in one ? one.text.replace(/\r?\n|\r/g, '\r\n') : one.bytes).toString('hex'),
				})),
			);
			expect(readMultipart(body, boundary, given.length - 1)).toBeUndefined();
		}),
	);
});

test.each([
	['escaped by a backslash', 'name="a"; filename="say \\"hi\\" \\\\ now.txt"', 'say "hi" \\ now.txt'],
	['with a percent sign', 'name="a"; filename="say %22hi%22.txt"', 'say "hi".txt'],
	['without quotes', 'name=a; filename=a.txt', 'a.txt'],
	['of RFC 5987', `name="a"; filename="x.txt"; filename*=utf-8''%C3%BC.txt`, 'ü.txt'],
	['empty', 'name="a"; filename=""', ''],
])('a name of a file is read: %s', (_, parameters, filename) => {
	const body = `--b\r\nContent-Disposition: form-data; ${parameters}\r\nContent-Type: text/plain\r\n\r\n1\r\n--b--\r\n`;
	expect(readMultipart(Buffer.from(body), 'b', 10)).toEqual([
		{name: 'a', filename, contentType: 'text/plain', value: Buffer.from('1')},
	]);
});

test.each([
	['nothing', ''],
	['no end', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1'],
	['no name', '--b\r\nContent-Type: text/plain\r\n\r\n1\r\n--b--\r\n'],
	['no head', '--b\r\n--b--'],
])('a body that has %s is none', (_, body) => {
	expect(readMultipart(Buffer.from(body), 'b', 10)).toBeUndefined();
});

test('takes linear time', () => {
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
