import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {formatAddresses, isAddress, readNamedAddress, splitAddresses} from '../../../src/send/mail-fields.js';
import {withTimeLimit} from '../../helpers/time-limit.js';

test.each([
	['ann@example.com', '', 'ann@example.com'],
	[' Ann <ann@example.com> ', 'Ann', 'ann@example.com'],
	['<ann@example.com>', '', 'ann@example.com'],
	['"Lee, Ann" <ann@example.com>', 'Lee, Ann', 'ann@example.com'],
	['"Ann \\"A\\" \\\\" <ann@example.com>', 'Ann "A" \\', 'ann@example.com'],
	['"A <b@c.test>" <ann@example.com>', 'A <b@c.test>', 'ann@example.com'],
	['Ann (work), jr. <ann@example.com>', 'Ann (work), jr.', 'ann@example.com'],
	['Ann "A" Lee <ann@example.com>', 'Ann "A" Lee', 'ann@example.com'],
	['Zoë 🎉 <zoë@bücher.example>', 'Zoë 🎉', 'zoë@bücher.example'],
	['a.b+c/d=e@localhost', '', 'a.b+c/d=e@localhost'],
])('the mailbox %s is parsed', (text, name, address) => {
	expect(readNamedAddress(text)).toEqual({name, address});
});

test.each([
	...['', ' ', 'Ann', 'ann@', '@example.com', 'a@b@c.test', 'a b@c.test', 'ann@exa mple.com', 'a@b.test, c@d.test'],
	...['Ann <ann@example.com', 'ann@example.com>', 'Ann <ann@example.com> jr', 'Ann <b@c.test> <d@e.test>'],
	...['"Ann" A <a@b.test>', 'undisclosed-recipients:;', 'team: a@b.test;'],
	...['Ann\r\nBcc: x@y.test <a@b.test>', '"Ann\nBcc: x@y.test" <a@b.test>', 'a@b.test\r\nBcc: x@y.test', 'a\0@b.test'],
	`${'a'.repeat(316)}@b.test`,
])('the mailbox %j is rejected', text => {
	expect(readNamedAddress(text)).toBeUndefined();
});

describe('a list of mailboxes', () => {
	test('is split at the commas between mailboxes', () => {
		expect(splitAddresses('a@b.test,"Lee, Ann \\", x" <c@d.test> ,, e@f.test,')).toEqual([
			'a@b.test',
			'"Lee, Ann \\", x" <c@d.test>',
			'e@f.test',
		]);
		expect(splitAddresses(' , ')).toEqual([]);
	});

	test('with any names is parsed back to the same mailboxes', () => {
		const name = fc.string({unit: 'grapheme', maxLength: 40}).filter(text => !/\p{Cc}/u.test(text));
		const address = fc.emailAddress({size: 'small'}).filter(isAddress);
		fc.assert(
			fc.property(fc.array(fc.record({name, address}), {minLength: 1}), mailboxes => {
				expect(splitAddresses(formatAddresses(mailboxes)).map(readNamedAddress)).toEqual(mailboxes);
			}),
		);
	});

	test('is parsed in linear time, and never to a value with line breaks', () => {
		for (const piece of ['\\"', '"', '",', 'a@b.test,', '<', '>', ' <', '"\\']) {
			const list = piece.repeat(300_000);
			withTimeLimit(() => splitAddresses(list).map(readNamedAddress));
			withTimeLimit(() => readNamedAddress(`"${list}" <a@b.test>`));
		}

		fc.assert(
			fc.property(fc.string({unit: fc.constantFrom(...'ab@<>",\\ \r\n\0é')}), text => {
				const {name = '', address = ''} = readNamedAddress(text) ?? {};
				expect(name + address).not.toMatch(/[\r\n\0]/);
			}),
		);
	});
});
