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

function fits(query: MessageQuery): boolean {
	return holds(conditionsOf(query), message) && holds(contentConditionsOf(query), content);
}

describe('a filter fits', () => {
	test.each<{query: MessageQuery; fit: boolean}>([
		{query: {}, fit: true},
		{query: {q: 'CODE'}, fit: true},
		{query: {q: ''}, fit: true},
		{query: {q: '/1/'}, fit: true},
		{query: {q: '/code/', match: 'pattern'}, fit: false},
		{query: {subject: '/code/'}, fit: false},
		{query: {subject: '/code/', match: 'pattern'}, fit: true},
		{query: {subject: 'your CODE /1/', match: 'exact'}, fit: true},
		{query: {subject: 'code', match: 'exact'}, fit: false},
		{query: {subject: '/code/', match: 'exact'}, fit: false},
		{query: {subject: '/your.*/i', match: 'exact'}, fit: true},
		{query: {from: 'hello@'}, fit: true},
		{query: {to: 'all@inbox'}, fit: true},
		{query: {to: 'ALL@inbox.test', match: 'exact'}, fit: true},
		{query: {to: 'other@inbox'}, fit: false},
		{query: {from: 'bounce'}, fit: false},
		{query: {from: 'hello@shop.test', to: 'jo', match: 'exact'}, fit: false},
		{query: {to: 'INBOX'}, fit: true},
		{query: {from: 'the shop'}, fit: true},
		{query: {from: 'The Shop', to: 'jo example', match: 'exact'}, fit: true},
		{query: {from: '/^The/', to: '/e$/', match: 'pattern'}, fit: true},
		{query: {from: 'The Shop <', to: 'Jo'}, fit: false},
		{query: {q: 'code', from: 'nobody'}, fit: false},
		{query: {tls: true, smtpUser: 'ann'}, fit: true},
		{query: {tls: false}, fit: false},
		{query: {smtpUser: 'Ann'}, fit: false},
		{query: {smtpUser: 'an', match: 'pattern'}, fit: false},
		{query: {contains: 'to GO on'}, fit: true},
		{query: {contains: '<b>4711'}, fit: true},
		{query: {contains: '/^to go/m', match: 'pattern'}, fit: true},
		{query: {contains: 'go', match: 'exact'}, fit: true},
		{query: {contains: 'absent'}, fit: false},
		{query: {header: ['X-TAG: two']}, fit: true},
		{query: {header: ['X-Tag:one', 'x-tag:  wo']}, fit: true},
		{query: {header: ['X-Tag: one', 'X-Tag: three']}, fit: false},
		{query: {header: ['X-Tag: wo'], match: 'exact'}, fit: false},
		{query: {header: ['X-Tag: /^T/'], match: 'pattern'}, fit: true},
		{query: {header: ['Empty:']}, fit: true},
		{query: {header: ['X-Tag:'], match: 'exact'}, fit: true},
		{query: {header: ['Absent:'], match: 'pattern'}, fit: false},
		{query: {has: ['code', 'link']}, fit: true},
		{query: {link: ['RESET']}, fit: true},
		{query: {link: ['reset', 'new PASSWORD']}, fit: true},
		{query: {link: ['reset', 'verify']}, fit: false},
		{query: {link: ['/reset/']}, fit: false},
		{query: {link: ['/reset\\?/'], match: 'pattern'}, fit: true},
		{query: {link: ['reset'], match: 'exact'}, fit: true},
	])('$query: $fit', ({query, fit}) => {
		expect(fits(query)).toBe(fit);
		expect(
			[...explain(conditionsOf(query), message), ...explain(contentConditionsOf(query), content)].length === 0,
		).toBe(fit);
	});
});

test('a message whose header was not read is known by its envelope', () => {
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
])('a pattern that cannot be used is refused by the name of its field: $query', ({query, field}) => {
	expect(() => fits(query)).toThrow(
		expect.objectContaining({details: {errors: [{field, message: expect.any(String)}]}}),
	);
});

test('a miss is explained by what is there and what was wanted', () => {
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
])('a miss is explained by how it came: $reasons', ({session, reasons}) => {
	const came = {...message, session};
	expect(explain(conditionsOf({tls: false, smtpUser: 'al'}), came)).toEqual(reasons);
	expect(holds(conditionsOf({tls: true}), came)).toBe(Boolean(session?.tls));
});

test.each<{query: MessageQuery; fields: readonly string[]}>([
	{query: {q: '/a/', subject: '/a/', contains: '/a/', header: ['X: /a/']}, fields: []},
	{query: {q: '/a/', subject: '/a/', from: 'a', match: 'pattern'}, fields: ['subject']},
	{query: {tls: false, smtpUser: '/a/', subject: '/a/', match: 'pattern'}, fields: ['subject']},
	{
		query: {to: '/a/', contains: '/a/', header: ['X: /a/', 'X:', 'X: a'], link: ['/a/', 'a'], match: 'exact'},
		fields: ['to', 'contains', 'link', 'header'],
	},
])('the regular expressions of $query are found, and the rest is plain', ({query, fields}) => {
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
])('a text that cannot be used is told without compiling anything: $query', ({query, field}) => {
	expect(() => regexesOf(query)).toThrow(
		expect.objectContaining({details: {errors: [{field, message: expect.any(String)}]}}),
	);
});
