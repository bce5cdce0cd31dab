import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest';
import type {CreatedInboxBody, InboxBody, InboxListBody} from '../../../src/contract/inboxes.js';
import {mail, openTinbox, type Person, Tinbox} from '../../helpers/tinbox.js';

let tinbox: Tinbox;
let ann: Person;
let bob: Person;
let guest: Person;
let local: Person;
let teamId: string;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	[ann, bob, guest] = [await tinbox.user('ann'), await tinbox.user('bob'), await tinbox.user('guest')];
	local = await tinbox.user('local', 'localhost');
	teamId = await teamOf(ann, bob);
});
afterAll(async () => tinbox.close());

const uuid = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

async function call<Body = unknown>(person: Person, method: string, path: string, body?: unknown) {
	const response = await tinbox.request(method, path, {key: person.key, body});
	const text = await response.text();
	return {status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Body};
}

/** Creates an inbox and returns it without its credentials. */
async function create(person: Person, fields?: object): Promise<InboxBody> {
	const {status, body} = await call<CreatedInboxBody>(person, 'POST', '/inboxes', fields);
	expect(status, JSON.stringify(body)).toBe(201);
	const {smtp, ...inbox} = body;
	expect(smtp?.username).toBe(inbox.id);
	return inbox;
}

/** Creates a team of the owner with one member. */
async function teamOf(owner: Person, member: Person): Promise<string> {
	const {team} = await tinbox.services.teams.create(owner.user, 'Red');
	const {email} = member.user;
	const {token} = await tinbox.services.teams.invite(owner.user, team.id, {email, role: 'member'});
	await tinbox.services.teams.accept(member.user, token);
	return team.id;
}

describe('creating an inbox', () => {
	test('needs no body and generates an address', async () => {
		expect(await create(ann)).toEqual({
			id: expect.stringMatching(uuid),
			email_address: expect.stringMatching(/^[a-z2-9]{10}@tinbox\.test$/),
			name: null,
			message_count: 0,
			team_id: null,
			routing: 'login',
			bounce: null,
			simulator: false,
			keep: null,
			keep_for: null,
			evicted: 0,
			expires_at: null,
			created_at: expect.stringMatching(time),
		});
	});

	test('accepts a name, an address, a team and a lifetime', async () => {
		const inbox = await create(ann, {name: ' Signup ', email_address: 'Mine@Example.COM', team_id: teamId, ttl: 60});
		expect(inbox).toMatchObject({name: 'Signup', email_address: 'mine@example.com', team_id: teamId});
		expect(Date.parse(inbox.expires_at ?? '') - Date.parse(inbox.created_at)).toBe(60_000);
	});

	test('accepts null for every optional field', async () => {
		const inbox = await create(ann, {name: null, email_address: null, team_id: null, ttl: null});
		expect(inbox).toMatchObject({name: null, team_id: null, expires_at: null});
	});

	test.each(['taken@tinbox.test', '*@taken.test', '*'])('with the address %s is possible once', async email_address => {
		await create(local, {email_address});
		const second = await tinbox.user(`second${email_address.length}`, 'localhost');
		expect(await call(second, 'POST', '/inboxes', {email_address: email_address.toUpperCase()})).toMatchObject({
			status: 409,
			body: {code: 'address_taken'},
		});
	});

	test.each([
		['signup@one.test', '"signup"@one.test'],
		['signup@two.test', 'signup@two.test.'],
		['signup@bücher.test', 'signup@xn--bcher-kva.test'],
		['signup@three.test', 'signup+reset@three.test'],
		['signup+reset@four.test', 'signup@four.test'],
	])('with the address %s reserves %s', async (email_address, other) => {
		await create(ann, {email_address});
		expect(await call(bob, 'POST', '/inboxes', {email_address: other})).toMatchObject({
			status: 409,
			body: {code: 'address_taken', detail: expect.stringContaining(other)},
		});
	});

	test('reserves plus addresses for the same user until they are deleted', async () => {
		const whole = await create(ann, {email_address: 'signup@five.test'});
		const tagged = await create(ann, {email_address: 'signup+reset@five.test'});
		await call(ann, 'DELETE', `/inboxes/${whole.id}`);
		expect((await call(bob, 'POST', '/inboxes', {email_address: 'signup@five.test'})).status).toBe(409);
		await create(bob, {email_address: 'signup+other@five.test'});
		await call(ann, 'DELETE', `/inboxes/${tagged.id}`);
		await create(bob, {email_address: 'signup@five.test'});
	});

	test.each(['*', '*@tinbox.test', '*@TINBOX.test.'])(
		'with the address %s is only allowed for the local user',
		async email_address => {
			expect(await call(ann, 'POST', '/inboxes', {email_address})).toMatchObject({
				status: 403,
				body: {
					code: 'forbidden',
					detail:
						'Only the local user of this daemon can claim "*" or "*@tinbox.test". ' +
						'Claim an exact address, or "*@" and another domain.',
				},
			});
		},
	);

	test.each([
		{fields: {ttl: 0}, field: 'ttl'},
		{fields: {ttl: -1}, field: 'ttl'},
		{fields: {ttl: '60'}, field: 'ttl'},
		{fields: {ttl: 1e12}, field: 'ttl'},
		{fields: {name: ''}, field: 'name'},
		{fields: {name: '   '}, field: 'name'},
		{fields: {name: 'x'.repeat(101)}, field: 'name'},
		{fields: {email_address: 'nobody'}, field: 'email_address'},
		{fields: {email_address: '*@'}, field: 'email_address'},
		{fields: {email_address: 'a*@b.test'}, field: 'email_address'},
		{fields: {address: 'a@b.test'}, field: 'address'},
	])('rejects $fields', async ({fields, field}) => {
		expect(await call(ann, 'POST', '/inboxes', fields)).toMatchObject({
			status: 400,
			body: {code: 'invalid_input', errors: [{field}]},
		});
	});

	test('rejects a team of other users like an unknown one', async () => {
		for (const id of [teamId, 'unknown']) {
			expect(await call(guest, 'POST', '/inboxes', {team_id: id})).toMatchObject({
				status: 404,
				body: {code: 'not_found'},
			});
		}
	});
});

describe('listing inboxes', () => {
	test('returns own and team inboxes, newest first, in pages', async () => {
		const [cat, dog] = [await tinbox.user('cat'), await tinbox.user('dog')];
		const team = await teamOf(cat, dog);
		const first = await create(cat, {name: 'first'});
		const shared = await create(cat, {name: 'shared', team_id: team});
		const own = await create(dog, {name: 'own'});
		const list = async (person: Person, query = '') =>
			(await call<InboxListBody>(person, 'GET', `/inboxes${query}`)).body;

		expect(await list(cat)).toEqual({inboxes: [shared, first], total: 2, page: 1, limit: 20});
		expect(await list(dog)).toEqual({inboxes: [own, shared], total: 2, page: 1, limit: 20});
		expect(await list(dog, '?limit=1&page=2')).toEqual({inboxes: [shared], total: 2, page: 2, limit: 1});
		expect(await list(dog, '?page=3&limit=1000')).toEqual({inboxes: [], total: 2, page: 3, limit: 100});
		expect(await list(guest)).toEqual({inboxes: [], total: 0, page: 1, limit: 20});
	});

	test('finds an inbox by its exact address', async () => {
		const [eve, fay] = [await tinbox.user('eve'), await tinbox.user('fay')];
		const team = await teamOf(eve, fay);
		const shared = await create(eve, {email_address: 'shared@eve.test', team_id: team});
		const own = await create(eve, {email_address: '*@eve.test'});
		const find = async (person: Person, query: string) =>
			(await call<InboxListBody>(person, 'GET', `/inboxes?email_address=${query}`)).body;

		expect(await find(eve, 'shared@eve.test')).toEqual({inboxes: [shared], total: 1, page: 1, limit: 20});
		expect(await find(fay, '%20Shared@EVE.test')).toEqual({inboxes: [shared], total: 1, page: 1, limit: 20});
		expect(await find(eve, '*@eve.test')).toMatchObject({inboxes: [own], total: 1});
		expect(await find(eve, 'shared@eve.test&page=2&limit=1')).toEqual({inboxes: [], total: 1, page: 2, limit: 1});
		for (const other of ['shared', 'hared@eve.test', 'shared%2Btag@eve.test', 'other@eve.test', '']) {
			expect(await find(eve, other), other).toMatchObject({inboxes: [], total: 0});
		}
	});

	test('returns the visible inboxes with exactly the given name, also with pages and addresses', async () => {
		const name = 'List by name';
		const first = await create(ann, {name});
		const second = await create(ann, {name, email_address: 'second@by-name.test'});
		await create(ann, {name: 'list by name'});
		await create(guest, {name});
		const list = async (query: string) =>
			(await call<InboxListBody>(ann, 'GET', `/inboxes?name=List%20by%20name${query}`)).body;
		expect(await list('')).toEqual({inboxes: [second, first], total: 2, page: 1, limit: 20});
		expect(await list('&page=2&limit=1')).toEqual({inboxes: [first], total: 2, page: 2, limit: 1});
		expect(await list('&email_address=SECOND@by-name.test')).toMatchObject({inboxes: [{id: second.id}], total: 1});
		expect(await list('%20')).toMatchObject({inboxes: [], total: 0});
		expect(await list('&email_address=other@by-name.test')).toMatchObject({inboxes: [], total: 0});
	});

	test('hides inboxes that the user may not see', async () => {
		await create(ann, {email_address: 'hidden@ann.test'});
		const {body} = await call<InboxListBody>(guest, 'GET', '/inboxes?email_address=hidden@ann.test');
		expect(body).toMatchObject({inboxes: [], total: 0});
	});

	test.each(['page=0', 'page=-1', 'page=1.5', 'page=x', 'page=', 'limit=0', 'limit=1e1', 'limit=%2010', 'limit=+5'])(
		'rejects ?%s',
		async query => {
			const [field] = query.split('=');
			expect(await call(ann, 'GET', `/inboxes?${query}`)).toMatchObject({
				status: 400,
				body: {errors: [{field, message: 'must be a whole number of at least 1'}]},
			});
		},
	);

	test('rejects unknown and repeated parameters', async () => {
		expect(await call(ann, 'GET', '/inboxes?colour=red&limit=1&limit=2')).toMatchObject({
			status: 400,
			body: {
				errors: [
					{field: 'limit', message: 'must be a single string'},
					{field: 'colour', message: 'is unknown'},
				],
			},
		});
	});
});

describe('an inbox', () => {
	test('is returned with its number of messages', async () => {
		const inbox = await create(ann);
		await tinbox.deliver(inbox.email_address, mail('One'));
		expect(await call(ann, 'GET', `/inboxes/${inbox.id}`)).toEqual({status: 200, body: {...inbox, message_count: 1}});
	});

	test('is not found by users who may not see it', async () => {
		const {id} = await create(ann);
		for (const unknown of [id, 'unknown', '..', '%00', 'a'.repeat(5000)]) {
			for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', {name: 'x'}]] as const) {
				expect(await call(guest, method, `/inboxes/${encodeURIComponent(unknown)}`, body)).toMatchObject({
					status: 404,
					body: {code: 'not_found'},
				});
			}
		}
	});

	test('can be renamed and lose its name', async () => {
		const inbox = await create(ann, {name: 'old'});
		const patch = (body: object) => call(ann, 'PATCH', `/inboxes/${inbox.id}`, body);
		expect(await patch({name: 'new'})).toEqual({status: 200, body: {...inbox, name: 'new'}});
		expect(await patch({})).toEqual({status: 200, body: {...inbox, name: 'new'}});
		expect(await patch({name: null})).toEqual({status: 200, body: {...inbox, name: null}});
	});

	test('can be shared with a team and taken back only by its owner', async () => {
		const inbox = await create(ann);
		const path = `/inboxes/${inbox.id}`;
		expect((await call(bob, 'GET', path)).status).toBe(404);
		expect(await call(ann, 'PATCH', path, {team_id: teamId})).toMatchObject({status: 200, body: {team_id: teamId}});
		expect((await call(bob, 'GET', path)).status).toBe(200);
		expect((await call(bob, 'PATCH', path, {name: 'by Bob', team_id: teamId})).status).toBe(200);
		expect(await call(bob, 'PATCH', path, {team_id: null})).toMatchObject({status: 403, body: {code: 'forbidden'}});
		expect((await call(ann, 'PATCH', path, {team_id: 'unknown'})).status).toBe(404);
		expect(await call(ann, 'PATCH', path, {team_id: null})).toMatchObject({status: 200, body: {team_id: null}});
		expect((await call(bob, 'GET', path)).status).toBe(404);
	});

	test('is deleted with its mail, and its address is free again', async () => {
		const inbox = await create(ann);
		await tinbox.deliver(inbox.email_address, mail('One'));
		expect(await call(ann, 'DELETE', `/inboxes/${inbox.id}`)).toEqual({status: 204, body: undefined});
		expect((await call(ann, 'DELETE', `/inboxes/${inbox.id}`)).status).toBe(404);
		expect((await call(ann, 'GET', `/inboxes/${inbox.id}/messages`)).status).toBe(404);
		expect(await create(bob, {email_address: inbox.email_address})).toMatchObject({message_count: 0});
	});
});

describe('an inbox with a lifetime', () => {
	test('is deleted when it expires, and its address is free again', async () => {
		const other = await openTinbox();
		const cat = await other.user('cat');
		const inbox = await other.services.inboxes.create(cat.user, {
			name: null,
			teamId: null,
			address: 'short@tinbox.test',
			ttlSeconds: 1,
		});
		const path = `/inboxes/${inbox.inbox.id}`;
		expect((await other.request('GET', path, {key: cat.key})).status).toBe(200);
		expect((await other.services.inboxes.resolve('short@tinbox.test'))?.id).toBe(inbox.inbox.id);

		await vi.waitFor(async () => expect((await other.request('GET', path, {key: cat.key})).status).toBe(404), 5000);
		const list = await other.request('GET', '/inboxes', {key: cat.key});
		expect(await list.json()).toMatchObject({inboxes: [], total: 0});
		expect(await other.services.inboxes.resolve('short@tinbox.test')).toBeUndefined();
		await vi.waitFor(async () => expect(await other.store.inboxes.get(inbox.inbox.id)).toBeUndefined(), 5000);
		const body = {email_address: 'short@tinbox.test'};
		expect((await other.request('POST', '/inboxes', {key: cat.key, body})).status).toBe(201);
	});

	test('is deleted at the next start if it expired while the daemon was stopped', async () => {
		const before = await Tinbox.open();
		const cat = await before.user('cat');
		const fields = {name: null, teamId: null, address: null};
		await before.services.inboxes.create(cat.user, {...fields, ttlSeconds: 1});
		const lasting = await before.services.inboxes.create(cat.user, {...fields, ttlSeconds: 1000});
		const expiresAt = await before.store.inboxes.nextExpiry();
		await vi.waitFor(() => expect(new Date().toISOString() > (expiresAt ?? '')).toBe(true), 5000);
		const after = await before.restart();
		expect(await after.store.inboxes.nextExpiry()).toBe(lasting.inbox.expiresAt);
		await after.close();
	});
});
