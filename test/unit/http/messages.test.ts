import {readFile} from 'node:fs/promises';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {FullMessageBody, MessageBody} from '../../../src/contract/messages.js';
import {mail, openTinbox, type Person, Tinbox} from '../../helpers/tinbox.js';

let tinbox: Tinbox;
let ann: Person;
let guest: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	[ann, guest] = [await tinbox.user('ann'), await tinbox.user('guest')];
});
afterAll(async () => tinbox.close());

const fixtures = new URL('../../fixtures/mail/', import.meta.url);

async function openInbox(person = ann, address: string | null = null) {
	const {inbox} = await tinbox.services.inboxes.create(person.user, {
		name: null,
		teamId: null,
		address,
		ttlSeconds: null,
	});
	const path = `/inboxes/${inbox.id}/messages`;
	const list = async (query = ''): Promise<readonly MessageBody[]> => {
		const response = await tinbox.request('GET', path + query, {key: person.key});
		expect(response.status).toBe(200);
		expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
		return (await response.json()) as readonly MessageBody[];
	};
	const subjects = async (query?: string) => (await list(query)).map(({subject}) => subject);
	const deliver = (subject: string, from?: string) => tinbox.deliver(inbox.address, mail(subject, 'Hello', from));
	return {...inbox, path, list, subjects, deliver};
}

describe('deleting all messages', () => {
	test('leaves an empty inbox that still receives mail', async () => {
		const inbox = await openInbox();
		for (const subject of ['First', 'Second', 'Third']) {
			await inbox.deliver(subject);
		}

		for (const _ of ['all', 'none']) {
			const response = await tinbox.request('DELETE', inbox.path, {key: ann.key});
			expect([response.status, await response.text()]).toEqual([204, '']);
			expect(await inbox.list()).toEqual([]);
		}

		await inbox.deliver('Fourth');
		expect(await inbox.subjects()).toEqual(['Fourth']);
	});

	test('is only allowed for users who can see the inbox', async () => {
		const inbox = await openInbox();
		await inbox.deliver('First');
		expect((await tinbox.request('DELETE', inbox.path, {key: guest.key})).status).toBe(404);
		expect(await inbox.subjects()).toEqual(['First']);
	});
});

describe('the message list', () => {
	test('is an array of whole messages, complete once the sender got 250', async () => {
		const inbox = await openInbox();
		const source = await readFile(new URL('attachments.eml', fixtures));
		await tinbox.deliver([inbox.address, 'else@example.com'], source, 'bounce@example.com');
		const [message, ...others] = await inbox.list();
		expect(others).toEqual([]);
		expect(message).toMatchObject({
			id: expect.stringMatching(/^[\da-f-]{36}$/),
			inbox_id: inbox.id,
			to: inbox.address,
			size: source.length,
			envelope: {from: 'bounce@example.com', to: [inbox.address, 'else@example.com']},
			session: {tls: null, auth: null, client: {host: '127.0.0.1', helo: 'app'}},
			warnings: [],
		});
		expect(Object.keys(message ?? {}).sort()).toEqual(
			'attachments cc codes date envelope from from_name html id inbox_id links message_id received_at recipients reply_to session size subject text to warnings'.split(
				' ',
			),
		);
		expect(message?.text).not.toBe('');
		expect(message?.attachments[0]).toEqual({
			id: '1',
			filename: '',
			content_type: 'image/png',
			size: 8,
			content_id: 'logo@example.test',
			disposition: 'inline',
		});
	});

	test('is empty for an empty inbox', async () => {
		expect(await (await openInbox()).list()).toEqual([]);
	});

	test('is sorted newest first, in pages', async () => {
		const inbox = await openInbox();
		for (const subject of ['1', '2', '3', '4', '5']) {
			await inbox.deliver(subject);
		}

		expect(await inbox.subjects()).toEqual(['5', '4', '3', '2', '1']);
		expect(await inbox.subjects('?limit=2')).toEqual(['5', '4']);
		expect(await inbox.subjects('?limit=2&page=3')).toEqual(['1']);
		expect(await inbox.subjects('?limit=2&page=4')).toEqual([]);
		expect(await inbox.subjects('?limit=99999999999999999999')).toHaveLength(5);
	});

	test('is filtered by subject, sender and recipient, ignoring case', async () => {
		const inbox = await openInbox(ann, '*@filter.test');
		await tinbox.deliver('a@filter.test', mail('Your CODE', '', 'Shop <shop@example.com>'));
		await tinbox.deliver('b@filter.test', mail('Your bill', '', 'Bank <bank@example.com>'));
		expect(await inbox.subjects('?q=code')).toEqual(['Your CODE']);
		expect(await inbox.subjects('?q=YOUR')).toEqual(['Your bill', 'Your CODE']);
		expect(await inbox.subjects('?from=BANK@')).toEqual(['Your bill']);
		expect(await inbox.subjects('?to=A@filter')).toEqual(['Your CODE']);
		expect(await inbox.subjects('?q=your&from=bank&to=a@')).toEqual([]);
		expect(await inbox.subjects('?q=&from=&to=')).toHaveLength(2);
	});

	test('contains the names of the header, and filters match them', async () => {
		const inbox = await openInbox();
		const head = [
			'From: =?utf-8?q?Zo=C3=AB?= <zoe@example.com>',
			`To: "Doe, Jo" <${inbox.address}>, all@example.com`,
			'Cc: Bob <bob@example.com>',
			'Reply-To: help@example.com (Help)',
			'Date: Fri, 20 Nov 2026 21:00:00 +0100',
			'Subject: named',
		];
		await tinbox.deliver(inbox.address, `${head.join('\r\n')}\r\n\r\nHello\r\n`);
		await tinbox.deliver(inbox.address, 'From: zoe@example.com\r\nDate: today\r\nSubject: bare\r\n\r\n');
		const [bare, named] = await inbox.list();
		expect(named).toMatchObject({
			from: 'zoe@example.com',
			from_name: 'Zoë',
			to: inbox.address,
			cc: ['bob@example.com'],
			reply_to: ['help@example.com'],
			recipients: {
				to: [
					{name: 'Doe, Jo', address: inbox.address},
					{name: null, address: 'all@example.com'},
				],
				cc: [{name: 'Bob', address: 'bob@example.com'}],
				reply_to: [{name: 'Help', address: 'help@example.com'}],
			},
			date: '2026-11-20T20:00:00.000Z',
		});
		expect(bare).toMatchObject({from_name: null, recipients: {to: [], cc: [], reply_to: []}, date: null});
		expect(await inbox.subjects('?from=ZO%C3%8B')).toEqual(['named']);
		expect(await inbox.subjects('?to=doe,')).toEqual(['named']);
		expect(await inbox.subjects('?to=Doe,%20Jo&match=exact&wait=1')).toEqual(['named']);
		expect(await inbox.subjects('?from=/^Zo.$/&to=/^Doe/&match=pattern')).toEqual(['named']);
		expect(await inbox.subjects('?from=zoe@')).toEqual(['bare', 'named']);
		expect(await inbox.subjects('?to=all@')).toEqual(['named']);
		expect(await inbox.subjects('?to=help@')).toEqual([]);
	});

	test('starts after a message, even if that message was deleted', async () => {
		const inbox = await openInbox();
		await inbox.deliver('1');
		await inbox.deliver('2');
		await inbox.deliver('3');
		const [, second] = await inbox.list();
		expect(await inbox.subjects(`?after=${second?.id}`)).toEqual(['3']);
		await tinbox.request('DELETE', `${inbox.path}/${second?.id}`, {key: ann.key});
		expect(await inbox.subjects(`?after=${second?.id}`)).toEqual(['3']);
	});

	test.each([
		{query: 'after=last', field: 'after', message: expect.stringContaining('must be the id of a message')},
		{query: 'after=', field: 'after', message: expect.stringContaining('must be the id of a message')},
		{query: 'wait=-1', field: 'wait', message: 'must be a whole number of at least 0'},
		{query: 'wait=1.5', field: 'wait', message: 'must be a whole number of at least 0'},
		{query: 'wait=soon', field: 'wait', message: 'must be a whole number of at least 0'},
		{query: 'wait=', field: 'wait', message: 'must be a whole number of at least 0'},
		{query: 'limit=0', field: 'limit', message: 'must be a whole number of at least 1'},
		{query: 'page=0', field: 'page', message: 'must be a whole number of at least 1'},
		{query: 'colour=x', field: 'colour', message: 'is unknown'},
		{query: '__proto__=x', field: '__proto__', message: 'is unknown'},
		{query: 'q=a&q=b', field: 'q', message: 'must be a single string'},
	])('rejects ?$query', async ({query, field, message}) => {
		const {path} = await openInbox();
		const response = await tinbox.request('GET', `${path}?${query}`, {key: ann.key});
		expect(response.status).toBe(400);
		expect(await response.json()).toEqual({
			title: 'Bad Request',
			status: 400,
			code: 'invalid_input',
			detail: expect.stringMatching(new RegExp(`^"${field}" .+\\.$`)),
			errors: [{field, message}],
		});
	});

	test('contains what could be parsed of a malformed mail', async () => {
		const inbox = await openInbox();
		await tinbox.deliver(inbox.address, '\0\u00ff no header at all', '');
		expect(await inbox.list()).toMatchObject([{from: '', subject: '', cc: [], reply_to: [], message_id: ''}]);
	});
});

describe('a mail', () => {
	test('to three inboxes is one message in each, for its recipient there', async () => {
		const [one, all, other] = [await openInbox(), await openInbox(ann, '*@three.test'), await openInbox()];
		const to = [one.address, 'a@three.test', other.address, 'b@three.test', one.address.replace('@', '+tag@')];
		await tinbox.deliver(to, mail('Hi'));
		expect((await one.list()).map(row => row.to)).toEqual([one.address]);
		expect((await all.list()).map(row => row.to)).toEqual(['a@three.test']);
		expect((await other.list()).map(row => row.envelope.to)).toEqual([to]);
	});

	test('to an unknown recipient is rejected', async () => {
		await expect(tinbox.deliver('nobody@nowhere.test', mail('Hi'))).rejects.toMatchObject({code: 'not_found'});
	});

	test('is stored in the inbox with the most specific address', async () => {
		const own = await openTinbox();
		const {user} = await own.user('cat', 'localhost');
		const claim = async (address: string) =>
			(await own.services.inboxes.create(user, {name: null, teamId: null, address: address, ttlSeconds: null})).inbox
				.id;
		const reached = async (address: string) => (await own.services.inboxes.resolve(address))?.id;
		expect(await reached('x@a.test')).toBeUndefined();
		const everything = await claim('*');
		const domain = await claim('*@a.test');
		const exact = await claim('x@a.test');
		const tagged = await claim('x+tag@a.test');
		expect(await reached('X@A.TEST')).toBe(exact);
		expect(await reached('x+other@a.test')).toBe(exact);
		expect(await reached('x+tag@a.test')).toBe(tagged);
		expect(await reached('y@a.test')).toBe(domain);
		expect(await reached('x@b.test')).toBe(everything);
		expect(await reached('postmaster')).toBe(everything);
	});
});

describe('a single message', () => {
	test('equals its row in the list, with headers', async () => {
		const inbox = await openInbox();
		await tinbox.deliver(
			inbox.address,
			mail('Your code', 'Your code is 482913. Or open https://example.com/verify?t=1'),
		);
		const [row] = await inbox.list('?wait=5');
		expect(row).toMatchObject({codes: ['482913'], links: [{url: 'https://example.com/verify?t=1'}]});
		const response = await tinbox.request('GET', `${inbox.path}/${row?.id}`, {key: ann.key});
		const message = (await response.json()) as FullMessageBody;
		expect({...message, headers: undefined}).toEqual({...row, headers: undefined});
		expect(message.headers.map(({name}) => name)).toEqual(['From', 'To', 'Subject']);
	});

	test('of another inbox or another user gets 404 on every route', async () => {
		const [inbox, second, foreign] = [await openInbox(), await openInbox(), await openInbox(guest)];
		await inbox.deliver('Hi');
		const [{id} = {id: ''}] = await inbox.list();
		for (const [path, key] of [
			[`${second.path}/${id}`, ann.key],
			[`${inbox.path}/${id}`, guest.key],
			[`${foreign.path}/${id}`, guest.key],
			[`${inbox.path}/unknown`, ann.key],
		] as const) {
			for (const [method, suffix] of [
				['GET', ''],
				['DELETE', ''],
				['GET', '/raw'],
				['GET', '/attachments/1'],
			] as const) {
				const response = await tinbox.request(method, path + suffix, {key});
				expect(await response.json()).toMatchObject({status: 404, code: 'not_found'});
			}
		}

		expect(await inbox.subjects()).toEqual(['Hi']);
	});

	test('gets 404 after it was deleted', async () => {
		const inbox = await openInbox();
		await inbox.deliver('Hi');
		const [{id} = {id: ''}] = await inbox.list();
		const deleted = await tinbox.request('DELETE', `${inbox.path}/${id}`, {key: ann.key});
		expect([deleted.status, await deleted.text()]).toEqual([204, '']);
		expect((await tinbox.request('DELETE', `${inbox.path}/${id}`, {key: ann.key})).status).toBe(404);
		expect(await inbox.list()).toEqual([]);
	});
});

test('a page of large mails is parsed no faster than the client reads it', async () => {
	let parsed = 0;
	const own = await openTinbox({
		wrapParser: parser => ({
			...parser,
			read: (owner, source) => {
				parsed++;
				return parser.read(owner, source);
			},
		}),
	});
	const cat = await own.user('cat');
	const create = async () =>
		(await own.services.inboxes.create(cat.user, {name: null, teamId: null, address: null, ttlSeconds: null})).inbox;
	const [large, small] = [await create(), await create()];
	for (let count = 0; count < 10; count++) {
		await own.deliver(large.address, mail('Large', 'x'.repeat(4 * 1024 * 1024)));
		await own.deliver(small.address, mail('Small'));
	}

	const response = await own.request('GET', `/inboxes/${large.id}/messages`, {key: cat.key});
	// The parser works in order, so it could have parsed the whole page by the time this request is answered.
	const probe = await own.request('GET', `/inboxes/${small.id}/messages`, {key: cat.key});
	expect(await probe.json()).toHaveLength(10);
	expect(parsed - 10).toBeLessThan(8);
	expect(await response.json()).toHaveLength(10);
	expect(parsed).toBe(20);
});
