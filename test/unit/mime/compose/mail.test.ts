import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {ComposedContent} from '../../../../src/domain/mail/sending.js';
import {composeMail} from '../../../../src/mime/compose/compose.js';

const plain: ComposedContent = {
	from: {name: '', address: 'shop@shop.example'},
	to: [{name: '', address: 'ann@customer.example'}],
	cc: [],
	replyTo: [],
	subject: 'Hello',
	text: 'Hello Ann',
	html: undefined,
	amp: undefined,
	attachments: [],
	headers: [],
	messageId: '<1@shop.example>',
	date: undefined,
};

/** Values of the header fields by lower-case name, unfolded. */
function headerOf(source: Buffer): ReadonlyMap<string, string> {
	const [head = ''] = source.toString().split('\r\n\r\n', 1);
	const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
	return new Map(
		lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
	);
}

/** Text with line breaks and header fields. */
const hostile = fc
	.array(
		fc.oneof(fc.constantFrom('\r\n', '\n', '\r', '\0', 'X-Injected: 1', ': ', '"', '<', '>', ';', ','), fc.string()),
	)
	.map(parts => parts.join(''));

test('hostile values add no header field to a composed mail or its parts', async () => {
	const content = fc.record({
		name: hostile,
		subject: hostile,
		value: hostile,
		filename: hostile,
		type: hostile,
		id: hostile,
	});
	await fc.assert(
		fc.asyncProperty(content, async ({name, subject, value, filename, type, id}) => {
			const source = await composeMail({
				...plain,
				from: {name, address: 'shop@shop.example'},
				to: [{name, address: 'ann@customer.example'}],
				replyTo: [{name, address: 'help@shop.example'}],
				subject,
				html: '<p>Hello</p>',
				headers: [['X-Order', value]],
				attachments: [
					{filename, content: Buffer.from('a'), contentType: type, contentId: '', disposition: 'attachment'},
					{filename, content: Buffer.from('b'), contentType: 'image/png', contentId: id, disposition: 'inline'},
				],
			});
			expect(source.toString()).not.toMatch(/(?:^|[\r\n])X-Injected:/);
			const known =
				'from to reply-to subject message-id date x-order mime-version content-type content-transfer-encoding';
			expect(known.split(' ')).toEqual(expect.arrayContaining([...headerOf(source).keys()]));
		}),
	);
});

test('repeated header fields keep their order', async () => {
	const headers = [
		['X-A', '1'],
		['X-B', '2'],
		['X-A', '3'],
	] as const;
	const source = await composeMail({...plain, headers});
	const values = source.toString().match(/^X-[AB]: \d/gim);
	expect(values).toEqual(['X-A: 1', 'X-B: 2', 'X-A: 3']);
});

test('a mail without text has an empty body and the given date', async () => {
	const date = new Date('2026-01-02T03:04:05Z');
	const source = await composeMail({...plain, text: undefined, date});
	expect(headerOf(source).get('date')).toBe('Fri, 02 Jan 2026 03:04:05 +0000');
	expect(headerOf(source).get('message-id')).toBe('<1@shop.example>');
	expect(source.toString().split('\r\n\r\n')[1]?.trim()).toBe('');
});
