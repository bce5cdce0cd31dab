import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {addressesOf, completed, readSubmitted, recipientsIn} from '../../../../../src/cli/commands/run-sendmail.js';

const read = (text: string, ignoresDots = false) => readSubmitted(Buffer.from(text), ignoresDots);
const ann = {name: '', address: 'ann@example.com'};

/** The completed mail without the generated header fields. */
const complete = (text: string, ignoresDots = false) =>
	completed(read(text, ignoresDots), ann)
		.toString()
		.replace(/^(From|Date|Message-ID): .*\r\n/gim, '');

describe('sendmail reads recipients from', () => {
	test.each([
		['address lists and folded fields', 'To: a@x.test,\n\tBob <b@x.test>\nCC: c@x.test\nbcc: d@x.test\n\n', 'abcd'],
		['quoted names with commas', 'To: "Doe, Ann" <a@x.test>, b@x.test\n\n', 'ab'],
		['fields with comments', 'To: (first, not me@x.test) a@x.test (Ann)\n\n', 'a'],
		['address groups', 'To: Team: a@x.test, "B" <b@x.test>;, c@x.test\nCc: undisclosed-recipients:;\n\n', 'abc'],
		['repeated fields', 'To: a@x.test\nTo: b@x.test\n\n', 'ab'],
		['Resent fields instead of the original ones', 'To: a@x.test\nResent-To: b@x.test\nResent-Bcc: c@x.test\n\n', 'bc'],
		['the header only', 'To: a@x.test\n\nCc: b@x.test\n', 'a'],
	])('%s', (_, text, names) => {
		expect(recipientsIn(read(text))).toEqual([...names].map(name => `${name}@x.test`));
	});

	test('internationalized addresses', () => {
		expect(recipientsIn(read('To: Jürgen <jürgen@bücher.test>\n\n'))).toEqual(['jürgen@bücher.test']);
		expect(addressesOf(read('From: Ann <ann@x.test>\n\n'), 'from')).toEqual(['ann@x.test']);
	});
});

describe('the mail that sendmail submits', () => {
	test('keeps the header fields in order without Bcc, and the body', () => {
		const text = 'Subject: Hi\nBcc: a@x.test,\n b@x.test\nX-A: 1\n 2\nResent-Bcc: c@x.test\n\nBcc: body\n';
		expect(complete(text)).toBe('Subject: Hi\r\nX-A: 1\r\n 2\r\n\r\nBcc: body\n');
	});

	test.each([
		['an mbox separator line', 'From ann Thu Jan  1 00:00:00 1970\nSubject: Hi\n\nText\n'],
		['a quoted mbox separator line', '>From ann Thu Jan  1 00:00:00 1970\nSubject: Hi\n\nText\n'],
	])('excludes %s', (_, text) => {
		expect(complete(text)).toBe('Subject: Hi\r\n\r\nText\n');
	});

	test.each([
		['a text without a header', 'No header\nat all\n', '\r\n\r\nNo header\nat all\n'],
		[
			'a header that ends without an empty line',
			'Subject: Hi\nText: no\ntext\n',
			'Subject: Hi\r\nText: no\r\n\r\ntext\n',
		],
		['an empty text', '', '\r\n\r\n'],
	])('has a header and a body for %s', (_, text, expected) => {
		expect(complete(text).replace(/^(?!\r\n)(?=No)/, '')).toBe(expected.replace(/^\r\n(?=\r\n)/, ''));
	});

	test('has From, Date and Message-ID once, as given or generated', () => {
		const generated = completed(read('Subject: Hi\n\n'), {name: 'Ann "A" Ünal', address: 'ann@example.com'}).toString();
		expect(generated).toMatch(/^From: =\?UTF-8\?\S+\?= <ann@example\.com>\r$/m);
		expect(generated).toMatch(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000\r$/m);
		expect(generated).toMatch(/^Message-ID: <\S+@example\.com>\r$/m);
		const given = 'from: bob@x.test\r\nDATE: today\r\nMessage-Id: <1@x.test>\r\n\r\nText\r\n';
		expect(completed(read(given), ann).toString()).toBe(given);
	});
});

test('a line with a single dot ends the mail unless -i is set, with LF and CRLF line ends', () => {
	for (const end of ['\n', '\r\n']) {
		const text = ['Subject: Hi', '', 'a', '..', '.b', '.', 'after', ''].join(end);
		expect(complete(text)).toBe(`Subject: Hi\r\n\r\na${end}..${end}.b${end}`);
		expect(complete(text, true)).toContain('after');
	}

	expect(complete('Subject: Hi\n\na\n.')).toBe('Subject: Hi\r\n\r\na\n');
});

test('sendmail submits any body byte for byte', () => {
	fc.assert(
		fc.property(fc.uint8Array(), body => {
			const mail = Buffer.concat([Buffer.from('Subject: Hi\n\n'), body]);
			const submitted = completed(readSubmitted(mail, true), ann);
			expect(submitted.subarray(submitted.indexOf('\r\n\r\n') + 4).equals(Buffer.from(body))).toBe(true);
		}),
	);
});
