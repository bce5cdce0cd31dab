import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest';
import {mail, openTinbox, type Person, Tinbox} from '../../helpers/tinbox.js';

let tinbox: Tinbox;
let ann: Person;
let bob: Person;
let local: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	[ann, bob] = [await tinbox.user('ann'), await tinbox.user('bob')];
	local = await tinbox.user('local', 'localhost');
});
afterAll(async () => tinbox.close());

async function openInbox({user}: Person, address: string | null = null, ttlSeconds: number | null = null) {
	return (await tinbox.services.inboxes.create(user, {name: null, teamId: null, address, ttlSeconds})).inbox;
}

async function call({key}: Person, method: string, path: string, body?: unknown) {
	const response = await tinbox.request(method, path, {key, body});
	const text = await response.text();
	const isJson = response.headers.get('Content-Type')?.includes('json');
	return {status: response.status, body: isJson ? JSON.parse(text) : text};
}

const inPath = encodeURIComponent;

describe('an inbox in a path', () => {
	test.each([
		['signup@bücher.test', 'signup@bücher.test'],
		['case@one.test', 'CASE@One.Test'],
		['quoted@one.test', '"quoted"@one.test.'],
		['signup@xn--bcher-kva.example', 'signup@bücher.example'],
		['a/b@one.test', 'a/b@one.test'],
		['*@all.test', '*@ALL.test'],
		['*', '*'],
	])('with the address %s can be named as %s', async (address, spelling) => {
		const {id} = await openInbox(local, address);
		expect(await call(local, 'GET', `/inboxes/${inPath(spelling)}`)).toMatchObject({status: 200, body: {id}});
	});

	test('can be named by its address on every route', async () => {
		const {id, address} = await openInbox(ann);
		const path = `/inboxes/${inPath(address)}`;
		await tinbox.deliver(address, mail('Hello'));
		expect((await call(ann, 'PATCH', path, {name: 'Signup'})).body).toMatchObject({id, name: 'Signup'});
		const [message] = (await call(ann, 'GET', `${path}/messages`)).body;
		expect(message).toMatchObject({inbox_id: id, subject: 'Hello'});
		const single = `${path}/messages/${message.id}`;
		expect((await call(ann, 'GET', single)).body).toMatchObject({inbox_id: id, id: message.id});
		expect((await call(ann, 'GET', `${single}/raw`)).body).toContain('Subject: Hello');
		expect((await call(ann, 'GET', `${single}/attachments/1`)).body.detail).toBe('There is no attachment "1".');
		expect((await call(ann, 'POST', `${single}/preview`)).status).toBe(201);
		const {misses} = (await call(ann, 'GET', `${path}/misses?subject=other`)).body;
		expect(misses).toMatchObject([{message: {inbox_id: id}}]);
		expect((await call(ann, 'DELETE', single)).status).toBe(204);
		expect((await call(ann, 'DELETE', path)).status).toBe(204);
		expect((await call(ann, 'GET', path)).body.detail).toBe(`There is no inbox "${address}".`);
	});

	test('can be named by its address in a long poll', async () => {
		const {id, address} = await openInbox(ann);
		const waiting = call(ann, 'GET', `/inboxes/${inPath(address)}/messages?wait=30`);
		await vi.waitFor(() => expect(tinbox.services.feed.waiting(id)).toBe(1));
		await tinbox.deliver(address, mail('Hello'));
		expect((await waiting).body).toMatchObject([{subject: 'Hello'}]);
	});

	test('is not found by its address if the user may not see it', async () => {
		const {address} = await openInbox(ann);
		expect(await call(bob, 'GET', `/inboxes/${inPath(address)}`)).toMatchObject({
			status: 404,
			body: {code: 'not_found', detail: `There is no inbox "${address}".`},
		});
		expect((await call(bob, 'GET', `/inboxes/${inPath(address)}/messages`)).status).toBe(404);
		expect((await call(bob, 'DELETE', `/inboxes/${inPath(address)}`)).status).toBe(404);
	});

	test('cannot be named by a plus address', async () => {
		await openInbox(ann, 'plus@one.test');
		expect((await call(ann, 'GET', `/inboxes/${inPath('plus+tag@one.test')}`)).status).toBe(404);
	});

	test('is not found by its address after it expired', async () => {
		let at = Date.now();
		const own = await openTinbox({now: () => new Date(at)});
		const {user: owner} = await own.user('ann');
		const {inboxes} = own.services;
		const address = 'short@one.test';
		await inboxes.create(owner, {name: null, teamId: null, address, ttlSeconds: 60});
		expect((await inboxes.visible(owner, address)).address).toBe(address);
		at += 60_000;
		await expect(inboxes.visible(owner, address)).rejects.toThrow(`There is no inbox "${address}".`);
	});
});

describe('a message in a path', () => {
	test('named "latest" is the newest one', async () => {
		const {address, id} = await openInbox(ann);
		const latest = `/inboxes/${id}/messages/latest`;
		await tinbox.deliver(address, mail('First'));
		await tinbox.deliver(address, mail('Second'));
		expect((await call(ann, 'GET', latest)).body).toMatchObject({subject: 'Second'});
		expect((await call(ann, 'GET', `${latest}/raw`)).body).toContain('Subject: Second');
		expect((await call(ann, 'GET', `${latest}/attachments/1`)).body.detail).toBe('There is no attachment "1".');
		expect((await call(ann, 'DELETE', latest)).status).toBe(204);
		expect((await call(ann, 'GET', latest)).body).toMatchObject({subject: 'First'});
	});

	test('named "latest" does not change in an existing preview link', async () => {
		const {address, id} = await openInbox(ann);
		await tinbox.deliver(address, mail('First'));
		const {url} = (await call(ann, 'POST', `/inboxes/${id}/messages/latest/preview`)).body;
		await tinbox.deliver(address, mail('Second'));
		expect(await (await tinbox.request('GET', new URL(url).pathname.replace('/v1', ''))).text()).toContain('First');
	});

	test('can be named by a unique prefix or suffix of its id, except for deletion', async () => {
		const {address, id: inboxId} = await openInbox(ann);
		const path = `/inboxes/${inPath(address)}/messages`;
		await tinbox.deliver(address, mail('First'));
		await tinbox.deliver(address, mail('Second'));
		const [{id}, {id: other}] = (await call(ann, 'GET', path)).body;
		for (const part of [id.slice(-8), id.slice(-6), id.slice(-12).toUpperCase(), id.slice(0, -1)]) {
			expect((await call(ann, 'GET', `${path}/${part}`)).body).toMatchObject({id, subject: 'Second'});
		}

		expect((await call(ann, 'GET', `${path}/${id.slice(-8)}/raw`)).body).toContain('Subject: Second');
		expect((await call(ann, 'DELETE', `${path}/${id.slice(-8)}`)).status).toBe(404);
		expect((await call(ann, 'DELETE', `${path}/${id}`)).status).toBe(204);
		expect((await call(ann, 'GET', path)).body).toMatchObject([{id: other}]);
		const elsewhere = await openInbox(ann);
		const missed = [`${path}/${id.slice(-8)}`, `/inboxes/${elsewhere.id}/messages/${other.slice(-8)}`];
		for (const [index, missing] of [
			...missed,
			`${path}/${other.slice(-5)}`,
			`/inboxes/${inboxId}/messages/-7`,
		].entries()) {
			expect((await call(ann, 'GET', missing)).status, String(index)).toBe(404);
		}
	});

	test('with an ambiguous prefix is rejected with the candidates', async () => {
		const {address, id: inboxId} = await openInbox(ann);
		for (let count = 0; count < 7; count++) {
			await tinbox.deliver(address, mail('Same'));
		}

		const ids = (await call(ann, 'GET', `/inboxes/${inboxId}/messages`)).body.map(({id}: {id: string}) => id);
		const part = ids[0].slice(0, 6);
		expect(await call(ann, 'DELETE', `/inboxes/${inboxId}/messages/${part}`)).toMatchObject({
			status: 400,
			body: {
				code: 'ambiguous',
				detail: `Several message ids begin or end with "${part}": ${ids.slice(0, 5).join(', ')}, and more. Use more characters of the id.`,
			},
		});
		expect((await call(ann, 'GET', `/inboxes/${inboxId}/messages`)).body).toHaveLength(7);
	});

	test('named "latest" is not found in an empty inbox', async () => {
		const {address, id} = await openInbox(ann);
		expect(await call(ann, 'GET', `/inboxes/${id}/messages/latest`)).toMatchObject({
			status: 404,
			body: {code: 'not_found', detail: `There are no messages in ${address} yet.`},
		});
		expect((await call(bob, 'GET', `/inboxes/${id}/messages/latest`)).body.detail).toBe(`There is no inbox "${id}".`);
	});
});
