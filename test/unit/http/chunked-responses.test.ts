import {setImmediate} from 'node:timers/promises';
import {expect, test} from 'vitest';
import type {DeliveryListBody} from '../../../src/contract/webhooks.js';
import {operatorToken} from '../../helpers/resources.js';
import {mail, openTinbox, type Person, type Tinbox} from '../../helpers/tinbox.js';

const page = {page: 1, limit: 100};

/** Opens a user with mails of these subjects, each delivered to an endpoint that gives this response. */
async function open(subjects: readonly string[], answer: string) {
	const tinbox = await openTinbox({send: async () => ({ok: true, status: 200, body: answer})});
	const {user, key} = await tinbox.user('ann');
	const {webhooks, inboxes} = tinbox.services;
	const {id} = await webhooks.create(user, {url: 'http://127.0.0.1:1/', events: ['message.received']});
	const {inbox} = await inboxes.create(user, {name: null, teamId: null, address: null, ttlSeconds: null});
	for (const subject of subjects) {
		await tinbox.deliver(inbox.address, mail(subject));
	}

	while ((await webhooks.deliveries(user, id, {status: 'delivered'}, page)).total < subjects.length) {
		await setImmediate();
	}

	const get = async (path: string) => {
		const response = await tinbox.request('GET', path, {key});
		return {isChunked: !response.headers.has('Content-Length'), status: response.status, body: await response.json()};
	};
	return {
		misses: async () => get(`/inboxes/${inbox.id}/misses?subject=nothing&limit=100`),
		deliveries: async () => get(`/webhooks/${id}/deliveries?limit=100`),
	};
}

test('long near misses are sent in chunks with the same content', async () => {
	const subjects = Array.from({length: 40}, (_, index) => `${index} ${'\u0001'.repeat(1900)}x`);
	const {misses} = await open(subjects, '');
	const {isChunked, status, body} = await misses();
	expect({isChunked, status}).toEqual({isChunked: true, status: 200});
	const {misses: found} = body as {readonly misses: ReadonlyArray<{readonly message: {readonly subject: string}}>};
	expect(found.map(({message}) => message.subject).sort()).toEqual(subjects.toSorted());
});

test('long deliveries are sent in chunks with the same content', async () => {
	const answer = '\u0001'.repeat(16 * 1024);
	const {deliveries} = await open(Array.from({length: 8}, String), answer);
	const {isChunked, status, body} = await deliveries();
	expect({isChunked, status}).toEqual({isChunked: true, status: 200});
	const list = body as DeliveryListBody;
	expect(list.pagination).toEqual({...page, total: 8, pages: 1});
	expect(list.deliveries.map(each => each.response_body)).toEqual(Array.from({length: 8}, () => answer));
});

test('short lists are sent in one piece', async () => {
	const {misses, deliveries} = await open(['Hi'], 'Thanks');
	expect(await misses()).toMatchObject({isChunked: false, status: 200, body: {misses: [{message: {subject: 'Hi'}}]}});
	expect(await deliveries()).toMatchObject({
		isChunked: false,
		status: 200,
		body: {deliveries: [{status: 'delivered'}]},
	});
});

const lists = [
	{
		path: '/webhooks',
		credential: 'key',
		bodyOf: (names: readonly string[]) => ({endpoints: names.map(name => ({url: `http://127.0.0.1:1/${name}`}))}),
		async add({tinbox, user}: Owner, name: string) {
			await tinbox.services.webhooks.create(user, {url: `http://127.0.0.1:1/${name}`, events: ['message.received']});
		},
	},
	{
		path: '/teams',
		credential: 'token',
		bodyOf: (names: readonly string[]) => names.map(name => ({name, members: [{user_name: 'ann', role: 'owner'}]})),
		async add({tinbox, user}: Owner, name: string) {
			await tinbox.services.teams.create(user, name);
		},
	},
	{
		path: '/users',
		credential: 'operator',
		bodyOf: (names: readonly string[]) => ({users: [...names, 'ann'].map(name => ({name}))}),
		async add({tinbox}: Owner, name: string) {
			await tinbox.user(name);
		},
	},
] as const;

type Owner = Person & {readonly tinbox: Tinbox};

test.each(lists)('a long list of $path is sent in chunks with the same content', async list => {
	const tinbox = await openTinbox();
	const ann = {tinbox, ...(await tinbox.user('ann'))};
	const {token} = await tinbox.services.credentials.issueToken(ann.user.id, 60);
	const credentials = {
		key: {'X-API-Key': ann.key},
		token: {Authorization: `Bearer ${token}`},
		operator: {Authorization: `Bearer ${operatorToken}`},
	};
	const names: string[] = [];
	const addUntil = async (count: number) => {
		while (names.length < count) {
			const name = `n${names.length}`;
			await list.add(ann, name);
			// The newest object is listed first.
			names.unshift(name);
		}
	};
	const get = async () => {
		const response = await fetch(tinbox.url + list.path, {headers: credentials[list.credential]});
		return {isChunked: !response.headers.has('Content-Length'), body: await response.json()};
	};
	await addUntil(3);
	expect(await get()).toMatchObject({isChunked: false, body: list.bodyOf(names)});
	await addUntil(65);
	expect(await get()).toMatchObject({isChunked: true, body: list.bodyOf(names)});
});

test('a long subject is truncated in webhook payloads, but never within a character', async () => {
	const {deliveries} = await open([`a${'\u{1F4EC}'.repeat(5000)}`, 'b'.repeat(900)], '');
	const {body} = await deliveries();
	const payloads = (body as DeliveryListBody).deliveries.map(({payload}) => payload);
	const subjects = ['b'.repeat(900), `a${'\u{1F4EC}'.repeat(999)}…`];
	expect(payloads).toMatchObject(subjects.map(subject => ({message: {subject}})));
});
