import {describe, expect, test} from 'vitest';
import {
	conditionsOf,
	contentConditionsOf,
	explain,
	holds,
	type MessageQuery,
	regexesOf,
	type Searched,
	splitFilter,
} from '../../../../src/domain/mail/filter.js';
import {type Message, senderOf, unreadSummary} from '../../../../src/domain/mail/message.js';

const message: Message = {
	id: 'm',
	inboxId: 'i',
	sourceId: 's',
	size: 1,
	envelope: {from: 'bounce@shop.test', to: ['jo@inbox.test']},
	session: {
		tls: {version: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', servername: null},
		auth: {mechanism: 'PLAIN', user: 'ann'},
		client: {host: '127.0.0.1', helo: 'app'},
	},
	to: 'jo@inbox.test',
	receivedAt: '2026-01-01T12:00:00.000Z',
	summary: {
		from: 'Hello@Shop.test',
		fromName: 'The Shop',
		to: ['all@inbox.test', ['jo@inbox.test', 'Jo Example']],
		cc: [],
		replyTo: [],
		subject: 'Your code /1/',
		messageId: '',
	},
};

const content: Searched = {
	text: 'Use 4711\nto go on',
	html: '<p>Use <b>4711</b></p>',
	headers: [
		{name: 'X-Tag', value: 'one'},
		{name: 'x-tag', value: 'Two'},
		{name: 'Empty', value: ''},
	],
	codes: ['4711'],
	links: [{url: 'https://shop.test/reset?t=1', text: 'Choose a new password'}],
};

function matches(query: MessageQuery): boolean {
	return holds(conditionsOf(query), message) && holds(contentConditionsOf(query), content);
}

describe('a filter matches', () => {
	test.each<{query: MessageQuery; matches: boolean}>([
		{query: {}, matches: true},
		{query: {q: 'CODE'}, matches: true},
		{query: {q: ''}, matches: true},
		{query: {q: '/1/'}, matches: true},
		{query: {q: '/code/', match: 'pattern'}, matches: false},
		{query: {subject: '/code/'}, matches: false},
		{query: {subject: '/code/', match: 'pattern'}, matches: true},
		{query: {subject: 'your CODE /1/', match: 'exact'}, matches: true},
		{query: {subject: 'code', match: 'exact'}, matches: false},
		{query: {subject: '/code/', match: 'exact'}, matches: false},
		{query: {subject: '/your.*/i', match: 'exact'}, matches: true},
		{query: {from: 'hello@'}, matches: true},
		{query: {to: 'all@inbox'}, matches: true},
		{query: {to: 'ALL@inbox.test', match: 'exact'}, matches: true},
		{query: {to: 'other@inbox'}, matches: false},
		{query: {from: 'bounce'}, matches: false},
		{query: {from: 'hello@shop.test', to: 'jo', match: 'exact'}, matches: false},
		{query: {to: 'INBOX'}, matches: true},
		{query: {from: 'the shop'}, matches: true},
		{query: {from: 'The Shop', to: 'jo example', match: 'exact'}, matches: true},
		{query: {from: '/^The/', to: '/e$/', match: 'pattern'}, matches: true},
		{query: {from: 'The Shop <', to: 'Jo'}, matches: false},
		{query: {q: 'code', from: 'nobody'}, matches: false},
		{query: {tls: true, smtpUser: 'ann'}, matches: true},
		{query: {tls: false}, matches: false},
		{query: {smtpUser: 'Ann'}, matches: false},
		{query: {smtpUser: 'an', match: 'pattern'}, matches: false},
		{query: {contains: 'to GO on'}, matches: true},
		{query: {contains: '<b>4711'}, matches: true},
		{query: {contains: '/^to go/m', match: 'pattern'}, matches: true},
		{query: {contains: 'go', match: 'exact'}, matches: true},
		{query: {contains: 'absent'}, matches: false},
		{query: {header: ['X-TAG: two']}, matches: true},
		{query: {header: ['X-Tag:one', 'x-tag:  wo']}, matches: true},
		{query: {header: ['X-Tag: one', 'X-Tag: three']}, matches: false},
		{query: {header: ['X-Tag: wo'], match: 'exact'}, matches: false},
		{query: {header: ['X-Tag: /^T/'], match: 'pattern'}, matches: true},
		{query: {header: ['Empty:']}, matches: true},
		{query: {header: ['X-Tag:'], match: 'exact'}, matches: true},
		{query: {header: ['Absent:'], match: 'pattern'}, matches: false},
		{query: {has: ['code', 'link']}, matches: true},
		{query: {link: ['RESET']}, matches: true},
		{query: {link: ['reset', 'new PASSWORD']}, matches: true},
		{query: {link: ['reset', 'verify']}, matches: false},
		{query: {link: ['/reset/']}, matches: false},
		{query: {link: ['/reset\\?/'], match: 'pattern'}, matches: true},
		{query: {link: ['reset'], match: 'exact'}, matches: true},
	])('$query: $matches', ({query, matches: expected}) => {
		expect(matches(query)).toBe(expected);
		expect(
			[...explain(conditionsOf(query), message), ...explain(contentConditionsOf(query), content)].length === 0,
		).toBe(expected);
	});
});

test('a message with an unread header section is matched by its envelope', () => {
	const unread = {...message, summary: unreadSummary};
	expect(senderOf(unread)).toBe('bounce@shop.test');
	expect(holds(conditionsOf({from: 'bounce'}), unread)).toBe(true);
	expect(holds(conditionsOf({subject: 'code'}), unread)).toBe(false);
});

test.each<{query: MessageQuery; field: string}>([
	{query: {subject: '/(/', match: 'pattern'}, field: 'subject'},
	{query: {from: '', match: 'exact'}, field: 'from'},
	{query: {to: '/a/g', match: 'pattern'}, field: 'to'},
	{query: {contains: '/(?=a)/', match: 'pattern'}, field: 'contains'},
	{query: {header: ['X: /\\1/'], match: 'exact'}, field: 'header'},
	{query: {link: ['a', '/(/'], match: 'exact'}, field: 'link'},
	{query: {q: 'x'.repeat(1001)}, field: 'q'},
	{query: {from: 'x'.repeat(1001)}, field: 'from'},
	{query: {header: [`X: ${'x'.repeat(1001)}`]}, field: 'header'},
])('an invalid pattern is rejected with the name of its field: $query', ({query, field}) => {
	expect(() => matches(query)).toThrow(
		expect.objectContaining({details: {errors: [{field, message: expect.any(String)}]}}),
	);
});

test('a near miss is explained with the actual and the expected value', () => {
	const query: MessageQuery = {
		q: 'code',
		subject: 'reset',
		from: 'al@shop.test',
		to: '/^x/',
		contains: '/^Dear/i',
		header: ['X-Tag: three', 'X-None: 1', 'Empty: 1'],
		has: ['code', 'link'],
		link: ['/verify\\?/', 'help'],
		match: 'exact',
	};
	const long = {...content, text: `Hello ${'x'.repeat(200)}`, codes: [], links: []};
	expect([...explain(conditionsOf(query), message), ...explain(contentConditionsOf(query), long)]).toEqual([
		'The subject is "Your code /1/", not equal to "reset".',
		'The sender is "Hello@Shop.test", not equal to "al@shop.test".',
		'The recipient is "jo@inbox.test", not matching /^x/ as a whole.',
		`The text is "Hello ${'x'.repeat(73)}…", not matching /^Dear/i.`,
		'The header "X-Tag" is "one", not equal to "three".',
		'The header "X-None" is missing.',
		'The header "Empty" is empty, not equal to "1".',
		'It has no code.',
		'It has no link.',
		'It has no link that matches /verify\\?/.',
		'It has no link that matches "help".',
	]);
});

test.each<{session: Message['session']; reasons: readonly string[]}>([
	{session: message.session, reasons: ['It was received over TLS.', 'The SMTP login is "ann", not "al".']},
	{
		session: {tls: null, auth: null, client: {host: '127.0.0.1', helo: 'app'}},
		reasons: ['There was no SMTP login; expected "al".'],
	},
	{session: null, reasons: ['Its SMTP session is unknown.', 'Its SMTP session is unknown.']},
])('a near miss of a session condition is explained: $reasons', ({session, reasons}) => {
	const received = {...message, session};
	expect(explain(conditionsOf({tls: false, smtpUser: 'al'}), received)).toEqual(reasons);
	expect(holds(conditionsOf({tls: true}), received)).toBe(Boolean(session?.tls));
});

test.each<{query: MessageQuery; fields: readonly string[]}>([
	{query: {q: '/a/', subject: '/a/', contains: '/a/', header: ['X: /a/']}, fields: []},
	{query: {q: '/a/', subject: '/a/', from: 'a', match: 'pattern'}, fields: ['subject']},
	{query: {tls: false, smtpUser: '/a/', subject: '/a/', match: 'pattern'}, fields: ['subject']},
	{
		query: {to: '/a/', contains: '/a/', header: ['X: /a/', 'X:', 'X: a'], link: ['/a/', 'a'], match: 'exact'},
		fields: ['to', 'contains', 'link', 'header'],
	},
])('splitFilter separates the regular expressions of $query from its plain conditions', ({query, fields}) => {
	expect(regexesOf(query).map(({field}) => field)).toEqual(fields);
	const {plain, regexes} = splitFilter({...query, after: 'a'});
	expect(regexesOf(plain)).toEqual([]);
	expect(plain).toMatchObject({after: 'a', q: query.q});
	expect([...conditionsOf(plain), ...conditionsOf(regexes)]).toHaveLength(conditionsOf(query).length);
});

test.each<{query: MessageQuery; field: string}>([
	{query: {q: 'x'.repeat(1001)}, field: 'q'},
	{query: {subject: 'x'.repeat(1001)}, field: 'subject'},
	{query: {contains: '', match: 'pattern'}, field: 'contains'},
	{query: {contains: 'x'.repeat(1001)}, field: 'contains'},
	{query: {header: ['X: /a/g'], match: 'pattern'}, field: 'header'},
])('an invalid text is rejected before any expression is compiled: $query', ({query, field}) => {
	expect(() => regexesOf(query)).toThrow(
		expect.objectContaining({details: {errors: [{field, message: expect.any(String)}]}}),
	);
});
