import {describe, expect, test} from 'vitest';
import {helpWidth, wrapHelp} from '../../../../src/cli/help-layout.js';

describe('wrapHelp', () => {
	test('reflows paragraphs and keeps blank lines', () => {
		expect(wrapHelp('one two three\nfour\n\nfive six', 10)).toBe('one two\nthree four\n\nfive six');
	});

	test('does not break words longer than a line', () => {
		expect(wrapHelp('a very-long-word-indeed b', 10)).toBe('a\nvery-long-word-indeed\nb');
	});

	test('keeps indented code lines unchanged', () => {
		const code = '  tinbox inbox create --address signup@tinbox.test';
		expect(wrapHelp(`For example:\n${code}`, 20)).toBe(`For example:\n${code}`);
	});

	test('wraps the text of a list row into its column', () => {
		const row = '  SMTP_HOST  where the app sends its mail to';
		expect(wrapHelp(row, 40)).toBe('  SMTP_HOST  where the app sends its\n             mail to');
		expect(wrapHelp(row, 80)).toBe(row);
	});

	test('puts the text of a list row below its term if the column is too narrow', () => {
		expect(wrapHelp('  TINBOX_WEBHOOK_SECRET  signing secret for webhooks', 40)).toBe(
			'  TINBOX_WEBHOOK_SECRET\n      signing secret for webhooks',
		);
	});
});

test.each([
	[{}, 80],
	[{columns: 0}, 80],
	[{columns: 200}, 80],
	[{columns: 60}, 60],
])('the help width on a stream with %j is %i columns', (stream, width) => {
	expect(helpWidth({write() {}, ...stream})).toBe(width);
});
