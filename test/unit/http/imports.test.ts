import {describe, expect, test, vi} from 'vitest';
import type {ImportCheckBody, MessageSummaryBody} from '../../../src/contract/messages.js';
import {mail, openTinbox} from '../../helpers/tinbox.js';

/** Opens a daemon with an inbox and its import API. */
async function openImports() {
	const tinbox = await openTinbox({settings: {maxMessageSize: 100_000}});
	const {user, key} = await tinbox.user('ann');
	const options = {name: null, teamId: null, address: null, ttlSeconds: null};
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

describe('an imported mail', () => {
	test('is stored byte for byte, with the envelope from its header', async () => {
		const {post, get, inbox} = await openImports();
		const response = await post('', source);
		expect(response.status).toBe(201);
		const body = (await response.json()) as MessageSummaryBody;
		expect(body).toMatchObject({inbox_id: inbox.id, from: 'ann@example.com', to: 'you@tinbox.test', subject: 'Hi'});
		expect(response.headers.get('Location')).toBe(`/v1/inboxes/${inbox.id}/messages/${body.id}`);
		expect(await (await get(`/${body.id}/raw`)).text()).toBe(source);
		expect(await (await get(`/${body.id}`)).json()).toMatchObject({
			envelope: {from: 'ann@example.com', to: ['you@tinbox.test', 'bob@example.com']},
			session: null,
		});
	});

	test('has the given envelope, and the address of the inbox if no recipient is named', async () => {
		const {post, get, inbox} = await openImports();
		await post('?from=&to=a@x.test&to=b@x.test', source);
		expect(await (await get('/latest')).json()).toMatchObject({envelope: {from: '', to: ['a@x.test', 'b@x.test']}});
		await post('', 'Subject: Nobody\n\n');
		expect(await (await get('/latest')).json()).toMatchObject({to: inbox.address, envelope: {from: '', to: []}});
	});

	test('is answered from the address of the inbox if no recipient is named', async () => {
		const {post, inbox, key, tinbox} = await openImports();
		await post(`?from=${inbox.address}`, 'Subject: Nobody\n\n');
		const path = `/inboxes/${inbox.id}/messages/latest/autoreply`;
		const response = await tinbox.request('POST', path, {key, body: {}});
		expect(await response.json()).toMatchObject({sender: inbox.address, recipients: [inbox.address]});
	});

	test('is stored once per import and wakes waits', async () => {
		const {post, get} = await openImports();
		const waiting = get('?wait=20&subject=Hi');
		await post('', source);
		expect(await (await waiting).json()).toHaveLength(1);
		await post('', source);
		expect(await (await get('')).json()).toHaveLength(2);
	});

	test('is stored in the selected inbox, regardless of routing, faults and bounces', async () => {
		const {tinbox, inbox, user, key, post, get} = await openImports();
		const bounce = {status: '5.1.1', delayMs: 0};
		await tinbox.services.inboxes.update(user, inbox.id, {routing: 'recipients', bounce});
		const fault = {stage: 'end', match: {subject: 'Hi'}, reply: '550 5.0.0 No'};
		expect((await tinbox.request('POST', `/inboxes/${inbox.id}/faults`, {key, body: fault})).status).toBe(201);
		expect((await post(`?from=${inbox.address}`, source)).status).toBe(201);
		// This mail is bounced, after a possible bounce of the imported one.
		await tinbox.deliver(inbox.address, mail('Second'), inbox.address);
		await vi.waitFor(async () => expect(await (await get('')).json()).toHaveLength(3), 10_000);
	});

	test('can be checked without being stored', async () => {
		const {post, get} = await openImports();
		const response = await post('/check', source.replace('Subject: Hi', 'Subject: Grüße'));
		expect(response.status).toBe(200);
		expect((await response.json()) as ImportCheckBody).toMatchObject({
			from: 'ann@example.com',
			subject: 'Grüße',
			envelope: {to: ['you@tinbox.test', 'bob@example.com']},
			warnings: [expect.stringContaining('line feeds')],
		});
		expect(await (await get('')).json()).toEqual([]);
	});
});

describe('an import or a check rejects', () => {
	test.each([
		['another content type', 415, source, {'Content-Type': 'text/plain'}, ''],
		['a compressed mail', 415, source, {'Content-Encoding': 'gzip'}, ''],
		['an empty mail', 400, '', {}, ''],
		['a mail that is too large', 413, 'x'.repeat(100_001), {}, ''],
		['an invalid sender', 400, source, {}, '?from=a%20b'],
		['an invalid recipient', 400, source, {}, '?to=a&to=b%0Ac'],
		['too many recipients', 400, source, {}, `?${'to=a@b.test&'.repeat(101)}`],
		['an unknown parameter', 400, source, {}, '?sender=a@b.test'],
		['a wrong key', 401, source, {'X-API-Key': 'tbx_live_wrong'}, ''],
	])('%s', async (_, status, body, headers, query) => {
		const {post, get} = await openImports();
		for (const target of ['', '/check']) {
			const response = await post(target + query, body, headers);
			expect([response.status, response.headers.get('Content-Type')]).toEqual([status, 'application/problem+json']);
		}

		expect(await (await get('')).json()).toEqual([]);
	});
});

test('an import to the inbox of another user gets 404', async () => {
	const {tinbox, inbox} = await openImports();
	const {key} = await tinbox.user('bob');
	for (const target of ['', '/check']) {
		const response = await fetch(`${tinbox.url}/inboxes/${inbox.id}/messages${target}`, {
			method: 'POST',
			headers: {'X-API-Key': key, 'Content-Type': 'message/rfc822'},
			body: source,
		});
		expect(response.status).toBe(404);
	}
});

describe('several imported mails', () => {
	const bytes = [`${source}\r\n\x00\xff`, 'Subject: Two\n\n', source].map(text => Buffer.from(text, 'latin1'));
	const sources = bytes.map(mail => mail.toString('base64'));

	/** Adds the source routes of the inbox. */
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

	test('are stored in order and can be read together, byte for byte', async () => {
		const {post, get, read} = await openSources();
		const waiting = get('?wait=20&subject=Two');
		const response = await post({sources, to: ['a@x.test']});
		expect(response.status).toBe(200);
		const rows = (await response.json()) as readonly MessageSummaryBody[];
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
		['a mail that is too large', 413, {sources: [...sources, Buffer.alloc(100_001).toString('base64')]}],
		['an empty mail', 400, {sources: [...sources, '']}],
		['a mail that is not in base64', 400, {sources: [...sources, '%%%%']}],
		['no mail', 400, {sources: []}],
		['more than 100 mails', 400, {sources: Array.from({length: 101}, () => 'QUE=')}],
		['an invalid sender', 400, {sources, from: 'a b'}],
	])('are rejected as a whole with %s', async (_, status, body) => {
		const {post, get} = await openSources();
		expect((await post(body)).status).toBe(status);
		expect(await (await get('')).json()).toEqual([]);
	});

	test('are not returned by another inbox', async () => {
		const {post, tinbox} = await openSources();
		const {user: bob, key} = await tinbox.user('bob');
		const options = {name: null, teamId: null, address: null, ttlSeconds: null};
		const {inbox} = await tinbox.services.inboxes.create(bob, options);
		const rows = (await (await post({sources})).json()) as readonly MessageSummaryBody[];
		const query = rows.map(({id}) => `id=${id}`).join('&');
		expect(await (await tinbox.request('GET', `/inboxes/${inbox.id}/sources?${query}`, {key})).json()).toEqual([]);
	});

	test('cannot be read together above the size limit', async () => {
		const {post, read} = await openSources();
		const large = Array.from({length: 3}, () => Buffer.alloc(90_000, 'a\n').toString('base64'));
		const rows = (await (await post({sources: large})).json()) as readonly MessageSummaryBody[];
		const ids = rows.map(({id}) => id);
		expect((await read(ids)).status).toBe(413);
		expect((await read(ids.slice(1))).status).toBe(200);
	});
});
