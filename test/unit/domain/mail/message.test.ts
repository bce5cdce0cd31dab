import {expect, test} from 'vitest';
import {
	type Mailbox,
	type Session,
	type Summary,
	unreadSummary,
	weightOf,
} from '../../../../src/domain/mail/message.js';

const address = 'ann@example.com';
const texts = (count: number): readonly Mailbox[] => Array(count).fill([address, 'Ann Example']);

test.each<[number, string, Partial<Summary>, number]>([
	[1, 'typical fields', {subject: 'Your code', fromName: 'Ann Example', to: texts(5)}, 3],
	[195, 'a long subject', {subject: 'x'.repeat(100_000)}, 1],
	[195, 'a long id', {messageId: 'x'.repeat(100_000)}, 1],
	[195, 'a long author', {from: 'x'.repeat(50_000), fromName: 'x'.repeat(50_000)}, 1],
	[82, 'many mailboxes', {to: texts(500), cc: texts(250), replyTo: texts(250)}, 1],
	[60, 'many recipients', {}, 1000],
])('the weight %i is assigned to a message with %s', (weight, _fields, summary, recipients) => {
	const envelope = {from: '', to: Array(recipients).fill(address)};
	expect(weightOf({summary: {...unreadSummary, ...summary}, envelope, session: null})).toBe(weight);
});

test('a long session adds to the weight of a message', () => {
	const long = 'x'.repeat(320);
	const session: Session = {
		tls: {version: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', servername: long, client: long},
		auth: {mechanism: 'PLAIN', user: long},
		client: {host: '127.0.0.1', helo: long},
	};
	expect(weightOf({summary: unreadSummary, envelope: {from: '', to: []}, session})).toBe(2);
});

test('long DSN parameters add to the weight of a message', () => {
	const recipients = {[address]: {orcpt: `rfc822;${'x'.repeat(1000)}`}};
	const envelope = {from: '', to: [], dsn: {recipients}};
	expect(weightOf({summary: unreadSummary, envelope, session: null})).toBe(2);
});
