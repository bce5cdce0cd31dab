import {setImmediate} from 'node:timers/promises';
import {expect, test} from 'vitest';
import type {DeliveryListBody} from '../../../src/contract/webhooks.js';
import {operatorToken} from '../../helpers/resources.js';
import {mail, openTinbox, type Person, type Tinbox} from '../../helpers/tinbox.js';

const page = {page: 1, limit: 100};

/** A user with an inbox that holds mail with such subjects, each announced to an endpoint that answers so. */
async function open(subjects: readonly string[], answer: string) {
	const tinbox = await openTinbox({send: async () => ({ok: true, status: 200, body: answer})});
	const {user, key} = await tinbox.user('ann');
	const {webhooks, inboxes} = tinbox.services;
	const {id} = await webhooks.create(user, {url: 'http://127.0.0.1:1/', events: ['message.received']});
	const {inbox} = await inboxes.create(user, {name: null, teamId: null, claim: null, ttlSeconds: null});
	for (const subject of subjects) {
		await tinbox.deliver(inbox.address, mail(subject));
	}

	while ((await webhooks.deliveries(user, id, {status: 'delivered'}, page)).total < subjects.length) {
		await setImmediate();
	}

	const ask = async (path: string) => {
		const response = await tinbox.request('GET', path, {key});
		return {inTurns: !response.headers.has('Content-Length'), status: response.status, body: await response.json()};
	};
	return {
		misses: async () => ask(`/inboxes/${inbox.id}/misses?subject=nothing&limit=100`),
		deliveries: async () => ask(`/webhooks/${id}/deliveries?limit=100`),
	};
}

test('misses that mails make long are sent in turns, and are the same', async () => {
	const subjects = Array.from({length: 40}, (_, index) => `${index} ${'\u0001'.repeat(1900)}x`);
	const {misses} = await open(subjects, '');
	const {inTurns, status, body} = await misses();
	expect({inTurns, status}).toEqual({inTurns: true, status: 200});
	const {misses: found} = body as {readonly misses: ReadonlyArray<{readonly message: {readonly subject: string}}>};
	expect(found.map(({message}) => message.subject).sort()).toEqual(subjects.toSorted());
});

test('deliveries that receivers make long are sent in turns, and are the same', async () => {
	const answer = '\u0001'.repeat(16 * 1024);
	const {deliveries} = await open(Array.from({length: 8}, String), answer);
	const {inTurns, status, body} = await deliveries();
	expect({inTurns, status}).toEqual({inTurns: true, status: 200});
	const list = body as DeliveryListBody;
	expect(list.pagination).toEqual({...page, total: 8, pages: 1});
	expect(list.deliveries.map(each => each.response_body)).toEqual(Array.from({length: 8}, () => answer));
});

test('short ones are sent as a whole', async () => {
	const {misses, deliveries} = await open(['Hi'], 'Thanks');
	expect(await misses()).toMatchObject({inTurns: false, status: 200, body: {misses: [{message: {subject: 'Hi'}}]}});
	expect(await deliveries()).toMatchObject({inTurns: false, status: 200, body: {deliveries: [{status: 'delivered'}]}});
});

const lists = [
	{
		path: '/webhooks',
		credential: 'key',
		bodyOf: (names: readonly string[]) => ({endpoints: names.map(name => ({url: `http://127.0.0.1:1/${name}`}))}),
		async add({tinbox, user}: Somebody, name: string) {
			await tinbox.services.webhooks.create(user, {url: `http://127.0.0.1:1/${name}`, events: ['message.received']});
		},
	},
	{
		path: '/teams',
		credential: 'token',
		bodyOf: (names: readonly string[]) => names.map(name => ({name, members: [{user_name: 'ann', role: 'owner'}]})),
		async add({tinbox, user}: Somebody, name: string) {
			await tinbox.services.teams.create(user, name);
		},
	},
	{
		path: '/users',
		credential: 'operator',
		bodyOf: (names: readonly string[]) => ({users: [...names, 'ann'].map(name => ({name}))}),
		async add({tinbox}: Somebody, name: string) {
			await tinbox.user(name);
		},
	},
] as const;

type Somebody = Person & {readonly tinbox: Tinbox};

test.each(lists)('all of $path are sent in turns when they are many, and are the same', async list => {
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
			// The newest comes first.
			names.unshift(name);
		}
	};
	const ask = async () => {
		const response = await fetch(tinbox.url + list.path, {headers: credentials[list.credential]});
		return {inTurns: !response.headers.has('Content-Length'), body: await response.json()};
	};
	await addUntil(3);
	expect(await ask()).toMatchObject({inTurns: false, body: list.bodyOf(names)});
	await addUntil(65);
	expect(await ask()).toMatchObject({inTurns: true, body: list.bodyOf(names)});
});

test('an endpoint is told of a subject longer than people write, cut within no character', async () => {
	const {deliveries} = await open([`a${'\u{1F4EC}'.repeat(5000)}`, 'b'.repeat(900)], '');
	const {body} = await deliveries();
	const told = (body as DeliveryListBody).deliveries.map(({payload}) => payload);
	const subjects = ['b'.repeat(900), `a${'\u{1F4EC}'.repeat(999)}…`];
	expect(told).toMatchObject(subjects.map(subject => ({message: {subject}})));
});
