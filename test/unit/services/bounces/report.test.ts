import fc from 'fast-check';
import {expect, test} from 'vitest';
import {AppError} from '../../../../src/domain/errors.js';
import {unreadSummary} from '../../../../src/domain/mail/message.js';
import {compose} from '../../../../src/mime/compose/compose.js';
import {reportOf} from '../../../../src/services/bounces/bounces.js';

const anyText = fc.oneof(
	fc.string({unit: 'binary', maxLength: 300}),
	fc
		.array(
			fc.constantFrom(
				'\r\n',
				'\n',
				'\r',
				'X-Evil: 1',
				' ',
				'"',
				'\\',
				'<',
				'>',
				',',
				';',
				':',
				'=?utf-8?q?',
				'?=',
				'ö',
				'\ud800',
				'\0',
				'@',
				'.',
			),
			{maxLength: 30},
		)
		.map(parts => parts.join('')),
);

const headerField =
	/^(?:From|To|Date|Message-ID|MIME-Version|Auto-Submitted|In-Reply-To|References|Subject|Content-Type|Content-Transfer-Encoding): ?[^\r\n]*$/;

test('a bounce has exactly the specified header fields, whatever the mail is', async () => {
	const mails = fc.record({
		kind: fc.constantFrom('bounce', 'complaint', 'autoreply'),
		status: fc.constantFrom('5.1.1', '4.4.1', '2.0.0'),
		sender: anyText,
		recipients: fc.array(anyText, {minLength: 1, maxLength: 3}),
		subject: anyText,
		messageId: anyText,
		source: fc.uint8Array({maxLength: 400}),
	});
	const check = async ({
		kind,
		status,
		sender,
		recipients,
		subject,
		messageId,
		source,
	}: typeof mails extends fc.Arbitrary<infer T> ? T : never) => {
		const mail = {
			envelope: {from: sender, to: recipients},
			session: null,
			receivedAt: '2026-01-01T00:00:00.000Z',
			summary: {...unreadSummary, subject, messageId, from: sender},
		};
		const options = {
			mail,
			source: Buffer.from(source),
			host: 'tinbox.test',
			messageId: '<1@tinbox.test>',
			now: new Date(),
		};
		const report = await composed(() => reportOf({kind, status, recipients}, options));
		const [head = ''] = report.split('\r\n\r\n', 1);
		for (const line of head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
			expect(line).toMatch(headerField);
		}
	};
	await fc.assert(fc.asyncProperty(mails, check), {numRuns: 200});
});

/** Composed report, or a stub if its input is rejected. */
async function composed(make: () => Parameters<typeof compose>[0]): Promise<string> {
	try {
		return String(await compose(make()));
	} catch (error) {
		expect(error).toBeInstanceOf(AppError);
		return 'Subject: x';
	}
}
