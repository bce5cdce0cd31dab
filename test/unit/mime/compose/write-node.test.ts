import fc from 'fast-check';
import MailComposer from 'nodemailer/lib/mail-composer';
import {expect, test} from 'vitest';
import {writeNode} from '../../../../src/mime/compose/write-node.js';

const text = fc.oneof(
	fc.string({unit: 'binary', maxLength: 300}),
	fc
		.array(fc.constantFrom('word ', '=', '\t', ' ', '.', 'é', '🎉', '\r\n', '\n', '\r', 'From ', 'x'.repeat(100)), {
			maxLength: 80,
		})
		.map(all => all.join('')),
	fc.constantFrom('', 'a', 'a\n', 'a\r', '\r\n', `${'long '.repeat(300)}\n`),
);

const file = fc.record({
	filename: fc.constantFrom('a.txt', 'é 価.pdf', 'mail.eml'),
	contentType: fc.constantFrom('text/plain', 'application/pdf', 'message/rfc822'),
	content: fc.oneof(fc.uint8Array({maxLength: 300}), text).map(bytes => Buffer.from(bytes as string)),
	cid: fc.option(fc.constant('a@b'), {nil: undefined}),
});

const mail = fc.record({
	text: fc.option(text, {nil: undefined}),
	html: fc.option(text, {nil: undefined}),
	amp: fc.option(text, {nil: undefined}),
	subject: text,
	attachments: fc.array(file, {maxLength: 3}),
});

/** Removes soft line breaks (RFC 2045, section 6.7), whose positions may differ. */
function joined(source: Buffer): string {
	return source.toString('latin1').replaceAll('=\r\n', '');
}

test('a mail has the same bytes as one written by nodemailer, except for soft line breaks, and no longer lines', async () => {
	await fc.assert(
		fc.asyncProperty(mail, async content => {
			const root = new MailComposer({from: 'a@b.example', date: new Date(0), newline: 'windows', ...content}).compile();
			const source = writeNode(root);
			const longest = (bytes: Buffer) =>
				Math.max(
					...String(bytes)
						.split('\r\n')
						.map(({length}) => length),
				);
			expect(longest(source)).toBeLessThanOrEqual(Math.max(78, longest(await root.build())));
			expect(joined(source)).toBe(joined(await root.build()));
		}),
		{numRuns: 100},
	);
});
