import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {addressesOf, completed, readSubmitted, recipientsIn} from '../../../../../src/cli/commands/run-sendmail.js';

const read = (text: string, ignoresDots = false) => readSubmitted(Buffer.from(text), ignoresDots);
const ann = {name: '', address: 'ann@example.com'};

/** What is sent, without the fields that every mail gets. */
const sent = (text: string, ignoresDots = false) =>
	completed(read(text, ignoresDots), ann)
		.toString()
		.replace(/^(From|Date|Message-ID): .*\r\n/gim, '');

describe('recipients are read from', () => {
	test.each([
		['lists and folds', 'To: a@x.test,\n\tBob <b@x.test>\nCC: c@x.test\nbcc: d@x.test\n\n', 'abcd'],
		['quotes with commas', 'To: "Doe, Ann" <a@x.test>, b@x.test\n\n', 'ab'],
		['comments', 'To: (first, not me@x.test) a@x.test (Ann)\n\n', 'a'],
		['groups', 'To: Team: a@x.test, "B" <b@x.test>;, c@x.test\nCc: undisclosed-recipients:;\n\n', 'abc'],
		['fields that come twice', 'To: a@x.test\nTo: b@x.test\n\n', 'ab'],
		[
			'those who get it once more, and nobody else',
			'To: a@x.test\nResent-To: b@x.test\nResent-Bcc: c@x.test\n\n',
			'bc',
		],
		['the header alone', 'To: a@x.test\n\nCc: b@x.test\n', 'a'],
	])('%s', (_, text, names) => {
		expect(recipientsIn(read(text))).toEqual([...names].map(name => `${name}@x.test`));
	});

	test('addresses with other letters', () => {
		expect(recipientsIn(read('To: Jürgen <jürgen@bücher.test>\n\n'))).toEqual(['jürgen@bücher.test']);
		expect(addressesOf(read('From: Ann <ann@x.test>\n\n'), 'from')).toEqual(['ann@x.test']);
	});
});

describe('what is sent', () => {
	test('has the fields of the mail in their order, without Bcc, and its body', () => {
		const text = 'Subject: Hi\nBcc: a@x.test,\n b@x.test\nX-A: 1\n 2\nResent-Bcc: c@x.test\n\nBcc: body\n';
		expect(sent(text)).toBe('Subject: Hi\r\nX-A: 1\r\n 2\r\n\r\nBcc: body\n');
	});

	test.each([
		['the line of an mbox before it', 'From ann Thu Jan  1 00:00:00 1970\nSubject: Hi\n\nText\n'],
		['the same in quotes', '>From ann Thu Jan  1 00:00:00 1970\nSubject: Hi\n\nText\n'],
	])('leaves out %s', (_, text) => {
		expect(sent(text)).toBe('Subject: Hi\r\n\r\nText\n');
	});

	test.each([
		['a mail without a header', 'No header\nat all\n', '\r\n\r\nNo header\nat all\n'],
		[
			'a header that ends without an empty line',
			'Subject: Hi\nText: no\ntext\n',
			'Subject: Hi\r\nText: no\r\n\r\ntext\n',
		],
		['nothing', '', '\r\n\r\n'],
	])('is complete for %s', (_, text, expected) => {
		expect(sent(text).replace(/^(?!\r\n)(?=No)/, '')).toBe(expected.replace(/^\r\n(?=\r\n)/, ''));
	});

	test('has From, Date and Message-ID once, the own ones of the mail if there are', () => {
		const made = completed(read('Subject: Hi\n\n'), {name: 'Ann "A" Ünal', address: 'ann@example.com'}).toString();
		expect(made).toMatch(/^From: =\?UTF-8\?\S+\?= <ann@example\.com>\r$/m);
		expect(made).toMatch(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000\r$/m);
		expect(made).toMatch(/^Message-ID: <\S+@example\.com>\r$/m);
		const own = 'from: bob@x.test\r\nDATE: today\r\nMessage-Id: <1@x.test>\r\n\r\nText\r\n';
		expect(completed(read(own), ann).toString()).toBe(own);
	});
});

test('a dot alone ends a mail unless that is to be ignored, whatever the line ends', () => {
	for (const end of ['\n', '\r\n']) {
		const text = ['Subject: Hi', '', 'a', '..', '.b', '.', 'after', ''].join(end);
		expect(sent(text)).toBe(`Subject: Hi\r\n\r\na${end}..${end}.b${end}`);
		expect(sent(text, true)).toContain('after');
	}

	expect(sent('Subject: Hi\n\na\n.')).toBe('Subject: Hi\r\n\r\na\n');
});

test('the body is sent as it is, whatever it is', () => {
	fc.assert(
		fc.property(fc.uint8Array(), body => {
			const mail = Buffer.concat([Buffer.from('Subject: Hi\n\n'), body]);
			const made = completed(readSubmitted(mail, true), ann);
			expect(made.subarray(made.indexOf('\r\n\r\n') + 4).equals(Buffer.from(body))).toBe(true);
		}),
	);
});
