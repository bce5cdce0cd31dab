import {describe, expect, test, vi} from 'vitest';
import type {ImportCheckBody, MessageSummaryBody} from '../../../src/contract/messages.js';
import {mail, openTinbox} from '../../helpers/tinbox.js';

/** A daemon with an inbox, and what takes mail in by its API. */
async function openImports() {
	const tinbox = await openTinbox({settings: {maxMessageSize: 100_000}});
	const {user, key} = await tinbox.user('ann');
	const options = {name: null, teamId: null, claim: null, ttlSeconds: null};
	const {inbox} = await tinbox.services.inboxes.create(user, options);
	const post = async (target: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
		fetch(`${tinbox.url}/inboxes/${inbox.id}/messages${target}`, {
			method: 'POST',
			headers: {'X-API-Key': key, 'Content-Type': 'message/rfc822', ...headers},
			body,
		});
	const get = async (target: string) =>
		fetch(`${tinbox.url}/inboxes/${inbox.id}/messages${target}`, {headers: {'X-API-Key': key}});
	return {tinbox, inbox, user, key, post, get};
}

const source = `Return-Path: <else@example.com>\nDelivered-To: x@y.test\nCc: Bob <bob@example.com>\n${mail('Hi')}no end`;

describe('a mail that is imported', () => {
	test('is kept byte for byte, with the envelope that its header names', async () => {
		const {post, get, inbox} = await openImports();
		const answer = await post('', source);
		expect(answer.status).toBe(201);
		const body = (await answer.json()) as MessageSummaryBody;
		expect(body).toMatchObject({inbox_id: inbox.id, from: 'ann@example.com', to: 'you@tinbox.test', subject: 'Hi'});
		expect(answer.headers.get('Location')).toBe(`/v1/inboxes/${inbox.id}/messages/${body.id}`);
		expect(await (await get(`/${body.id}/raw`)).text()).toBe(source);
		expect(await (await get(`/${body.id}`)).json()).toMatchObject({
			envelope: {from: 'ann@example.com', to: ['you@tinbox.test', 'bob@example.com']},
			session: null,
		});
	});

	test('has the envelope that is given, and is for the address of the inbox where nobody is named', async () => {
		const {post, get, inbox} = await openImports();
		await post('?from=&to=a@x.test&to=b@x.test', source);
		expect(await (await get('/latest')).json()).toMatchObject({envelope: {from: '', to: ['a@x.test', 'b@x.test']}});
		await post('', 'Subject: Nobody\n\n');
		expect(await (await get('/latest')).json()).toMatchObject({to: inbox.address, envelope: {from: '', to: []}});
	});

	test('is answered on behalf of the address of the inbox where nobody is named', async () => {
		const {post, inbox, key, tinbox} = await openImports();
		await post(`?from=${inbox.address}`, 'Subject: Nobody\n\n');
		const path = `/inboxes/${inbox.id}/messages/latest/autoreply`;
		const answer = await tinbox.request('POST', path, {key, body: {}});
		expect(await answer.json()).toMatchObject({sender: inbox.address, recipients: [inbox.address]});
	});

	test('is there twice when it is imported twice, and wakes who waits', async () => {
		const {post, get} = await openImports();
		const waiting = get('?wait=20&subject=Hi');
		await post('', source);
		expect(await (await waiting).json()).toHaveLength(1);
		await post('', source);
		expect(await (await get('')).json()).toHaveLength(2);
	});

	test('goes into this inbox, also where its logins leave that to the recipients; no fault meets it, and nothing comes back', async () => {
		const {tinbox, inbox, user, key, post, get} = await openImports();
		const bounce = {status: '5.1.1', delayMs: 0};
		await tinbox.services.inboxes.update(user, inbox.id, {routing: 'recipients', bounce});
		const fault = {stage: 'end', match: {subject: 'Hi'}, reply: '550 5.0.0 No'};
		expect((await tinbox.request('POST', `/inboxes/${inbox.id}/faults`, {key, body: fault})).status).toBe(201);
		expect((await post(`?from=${inbox.address}`, source)).status).toBe(201);
		// Of this one something comes back, behind whatever would have come back of the other.
		await tinbox.deliver(inbox.address, mail('Second'), inbox.address);
		await vi.waitFor(async () => expect(await (await get('')).json()).toHaveLength(3), 10_000);
	});

	test('is said beforehand, without being kept', async () => {
		const {post, get} = await openImports();
		const answer = await post('/check', source.replace('Subject: Hi', 'Subject: Grüße'));
		expect(answer.status).toBe(200);
		expect((await answer.json()) as ImportCheckBody).toMatchObject({
			from: 'ann@example.com',
			subject: 'Grüße',
			envelope: {to: ['you@tinbox.test', 'bob@example.com']},
			warnings: [expect.stringContaining('line feeds')],
		});
		expect(await (await get('')).json()).toEqual([]);
	});
});

describe('is refused, also where it is only said beforehand:', () => {
	test.each([
		['another type', 415, source, {'Content-Type': 'text/plain'}, ''],
		['a packed mail', 415, source, {'Content-Encoding': 'gzip'}, ''],
		['no mail', 400, '', {}, ''],
		['a mail that is too large', 413, 'x'.repeat(100_001), {}, ''],
		['a sender that is none', 400, source, {}, '?from=a%20b'],
		['a recipient that is none', 400, source, {}, '?to=a&to=b%0Ac'],
		['too many recipients', 400, source, {}, `?${'to=a@b.test&'.repeat(101)}`],
		['an unknown parameter', 400, source, {}, '?sender=a@b.test'],
		['a wrong key', 401, source, {'X-API-Key': 'tbx_live_wrong'}, ''],
	])('%s', async (_, status, body, headers, query) => {
		const {post, get} = await openImports();
		for (const target of ['', '/check']) {
			const answer = await post(target + query, body, headers);
			expect([answer.status, answer.headers.get('Content-Type')]).toEqual([status, 'application/problem+json']);
		}

		expect(await (await get('')).json()).toEqual([]);
	});
});

test('the inbox of another user is not found', async () => {
	const {tinbox, inbox} = await openImports();
	const {key} = await tinbox.user('bob');
	for (const target of ['', '/check']) {
		const answer = await fetch(`${tinbox.url}/inboxes/${inbox.id}/messages${target}`, {
			method: 'POST',
			headers: {'X-API-Key': key, 'Content-Type': 'message/rfc822'},
			body: source,
		});
		expect(answer.status).toBe(404);
	}
});

describe('several mails', () => {
	const bytes = [`${source}\r\n\x00\xff`, 'Subject: Two\n\n', source].map(text => Buffer.from(text, 'latin1'));
	const sources = bytes.map(mail => mail.toString('base64'));

	/** The same, with the sources of an inbox. */
	async function openSources() {
		const {tinbox, inbox, key, get} = await openImports();
		const path = `/inboxes/${inbox.id}/sources`;
		return {
			tinbox,
			get,
			post: async (body: unknown) => tinbox.request('POST', path, {key, body}),
			read: async (ids: readonly string[]) =>
				tinbox.request('GET', `${path}?${ids.map(id => `id=${id}`).join('&')}`, {key}),
		};
	}

	test('are kept together in their order, and read together, byte for byte', async () => {
		const {post, get, read} = await openSources();
		const waiting = get('?wait=20&subject=Two');
		const answer = await post({sources, to: ['a@x.test']});
		expect(answer.status).toBe(200);
		const rows = (await answer.json()) as readonly MessageSummaryBody[];
		expect(rows.map(({subject, to, size}) => [subject, to, size])).toEqual(
			['Hi', 'Two', 'Hi'].map((subject, index) => [subject, 'a@x.test', bytes[index]?.length]),
		);
		const ids = rows.map(({id}) => id);
		expect(await (await waiting).json()).toMatchObject([{id: ids[1]}]);
		expect((await (await get('')).json()) as readonly object[]).toMatchObject(ids.map(id => ({id})).reverse());
		expect(await (await read([...ids].reverse())).json()).toEqual(
			ids.map((id, index) => ({id, source: sources[index]})).reverse(),
		);
		for (const [index, id] of ids.entries()) {
			expect(Buffer.from(await (await get(`/${id}/raw`)).arrayBuffer())).toEqual(bytes[index]);
			expect((await get(`/${id}/request`)).status).toBe(404);
		}
	});

	test.each([
		['one that is too large', 413, {sources: [...sources, Buffer.alloc(100_001).toString('base64')]}],
		['one that is empty', 400, {sources: [...sources, '']}],
		['one that is not in base64', 400, {sources: [...sources, '%%%%']}],
		['none', 400, {sources: []}],
		['more than 100', 400, {sources: Array.from({length: 101}, () => 'QUE=')}],
		['a sender that is none', 400, {sources, from: 'a b'}],
	])('are refused as a whole: %s', async (_, status, body) => {
		const {post, get} = await openSources();
		expect((await post(body)).status).toBe(status);
		expect(await (await get('')).json()).toEqual([]);
	});

	test('are not shown by another inbox', async () => {
		const {post, tinbox} = await openSources();
		const {user: bob, key} = await tinbox.user('bob');
		const options = {name: null, teamId: null, claim: null, ttlSeconds: null};
		const {inbox} = await tinbox.services.inboxes.create(bob, options);
		const rows = (await (await post({sources})).json()) as readonly MessageSummaryBody[];
		const asked = rows.map(({id}) => `id=${id}`).join('&');
		expect(await (await tinbox.request('GET', `/inboxes/${inbox.id}/sources?${asked}`, {key})).json()).toEqual([]);
	});

	test('are not read together when that is too much', async () => {
		const {post, read} = await openSources();
		const large = Array.from({length: 3}, () => Buffer.alloc(90_000, 'a\n').toString('base64'));
		const rows = (await (await post({sources: large})).json()) as readonly MessageSummaryBody[];
		const ids = rows.map(({id}) => id);
		expect((await read(ids)).status).toBe(413);
		expect((await read(ids.slice(1))).status).toBe(200);
	});
});
