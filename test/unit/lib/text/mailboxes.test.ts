import fc from 'fast-check';
import addressparser from 'nodemailer/lib/addressparser';
import {expect, test} from 'vitest';
import {mailboxList} from '../../../../src/lib/text/sanitize.js';

const mailbox = (address: string, name: string | null = null) => ({name, address});

test('a display name that looks like an address is quoted', () => {
	expect(mailboxList([mailbox('eve@x.test', 'real@bank.test')])).toBe('"real@bank.test" <eve@x.test>');
	expect(mailboxList([mailbox('eve@x.test', 'Bank <real@bank.test>, "Bob"')])).toBe(
		'"Bank <real@bank.test>, \\"Bob\\"" <eve@x.test>',
	);
	expect(mailboxList([mailbox('zoe@x.test', 'Zoë B. O’Neil')])).toBe('Zoë B. O’Neil <zoe@x.test>');
});

test('control characters in a display name do not affect its neighbors', () => {
	const list = [mailbox('eve@x.test', 'Eve\x1b]0;'), mailbox('bob@x.test'), mailbox('ann@x.test', 'Ann\x07\u202e')];
	expect(mailboxList(list)).toBe('"Eve0;" <eve@x.test>, bob@x.test, Ann <ann@x.test>');
});

test('a mailbox list with any display names is parsed back to the same mailboxes', () => {
	const names = fc.string({unit: fc.constantFrom(...'Aé ,;:<>()[]"\\@.'), minLength: 1}).map(name => `x${name}x`);
	const mailboxes = fc.array(fc.record({name: fc.option(names), address: fc.constantFrom('a@x.test', 'b@y.test')}));
	fc.assert(
		fc.property(mailboxes, list => {
			const read = addressparser(mailboxList(list), {flatten: true});
			expect(read).toEqual(list.map(({name, address}) => ({name: name?.trim() ?? '', address})));
		}),
	);
});
