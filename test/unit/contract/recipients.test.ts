import {expect, test} from 'vitest';
import {addressFields} from '../../../src/contract/descriptions.js';
import type {FullMessageBody} from '../../../src/contract/messages.js';
import {mailboxList} from '../../../src/lib/text/sanitize.js';
import {messageBody} from '../../helpers/bodies.js';

const mailbox = (address: string, name: string | null = null) => ({name, address});
/** Address fields of a message, whose envelope has one recipient by default. */
function fieldsOf(fields: Partial<FullMessageBody>, envelopeTo: readonly string[] = [fields.to ?? '']) {
	const message = {...messageBody(fields), envelope: {from: 'shop@x.test', to: envelopeTo}};
	return addressFields(message).map(([label, mailboxes]) => `${label}: ${mailboxList(mailboxes)}`);
}

test('the address fields list To and Cc, and the envelope recipient if neither contains it', () => {
	const recipients = {
		to: [mailbox('list@x.test', 'All')],
		cc: [mailbox('a@x.test'), mailbox('b@x.test')],
		reply_to: [],
	};
	const head = ['From: Shop <shop@x.test>', 'To: All <list@x.test>', 'Cc: a@x.test, b@x.test'];
	const message = {from: 'shop@x.test', from_name: 'Shop', recipients};
	expect(fieldsOf({...message, to: 'c@x.test'})).toEqual([...head, 'Recipient: c@x.test']);
	expect(fieldsOf({...message, to: 'A@x.test'})).toEqual(head);
	expect(fieldsOf({from: 'shop@x.test', to: 'LIST@x.test', recipients: {...recipients, cc: []}})).toEqual([
		'From: shop@x.test',
		'To: All <list@x.test>',
	]);
	expect(fieldsOf({to: 'a@x.test', recipients: {to: [], cc: [], reply_to: []}})).toEqual([
		'From: shop@example.com',
		'Recipient: a@x.test',
	]);
});

test('the address fields list each envelope recipient that To and Cc omit once', () => {
	const envelopeTo = ['a@x.test', 'bcc@x.test', 'B@x.test', 'other@x.test'];
	const recipients = {to: [mailbox('a@x.test')], cc: [mailbox('b@x.test')], reply_to: []};
	expect(fieldsOf({to: 'bcc@x.test', recipients}, envelopeTo).at(-1)).toBe('Recipient: bcc@x.test, other@x.test');
});
