import {Readable} from 'node:stream';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {apiClient} from '../../../src/client/index.js';
import type {EventBody} from '../../../src/contract/events.js';
import {eventStreamText} from '../../../src/http/api/events.js';
import {openTinbox, type Person, plainTextSession, type Tinbox} from '../../helpers/tinbox.js';

const mail = (subject: string) => `From: ann@example.com\r\nSubject: ${subject}\r\n\r\nHello`;

type Follow = {readonly events: EventBody[]; readonly ids: string[]; ended: boolean; stop(): void};

/** Follows the event stream with the real client, from its current end by default. */
async function follow(tinbox: Tinbox, {key}: Pick<Person, 'key'>, lastEventId?: string): Promise<Follow> {
	const controller = new AbortController();
	onTestFinished(() => controller.abort());
	const follow: Follow = {events: [], ids: [], ended: false, stop: () => controller.abort()};
	const read = async () => {
		for await (const {id, event} of apiClient({url: tinbox.url, apiKey: key}).events.follow(
			controller.signal,
			lastEventId,
		)) {
			follow.events.push(event);
			follow.ids.push(id);
		}
	};
	read()
		.catch(() => {})
		.finally(() => {
			follow.ended = true;
		});
	await vi.waitFor(() => expect(follow.events[0]?.type).toBe('ready'));
	return follow;
}

const clientOf = (tinbox: Tinbox, {key}: Person) => apiClient({url: tinbox.url, apiKey: key});

describe('GET /v1/events', () => {
	test('reports created, changed and deleted inboxes and messages', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const client = clientOf(tinbox, ann);
		const {events} = await follow(tinbox, ann);

		const {smtp, ...inbox} = await client.inboxes.create({name: 'signup'});
		expect(smtp?.username).toBe(inbox.id);
		const renamed = await client.inboxes.update(inbox.id, {name: 'login'});
		await tinbox.deliver(inbox.email_address, mail('First'));
		await vi.waitFor(() => expect(events).toHaveLength(4));
		const message = await client.messages.wait(inbox.id, {}, {timeoutMs: 0});
		expect(message).toBeDefined();
		const {id = '', from, to, subject, size, received_at} = message ?? {};
		await client.messages.delete(inbox.id, id);
		await client.inboxes.delete(inbox.id);
		await vi.waitFor(() => expect(events).toHaveLength(6));

		expect(events).toEqual([
			{type: 'ready', resumed: false},
			{type: 'inbox.created', inbox},
			{type: 'inbox.changed', inbox: renamed},
			{
				type: 'message.received',
				message: {id, inbox_id: inbox.id, from, from_name: null, to, subject, size, received_at},
				message_count: 1,
			},
			{type: 'message.deleted', inbox_id: inbox.id, message_id: id, message_count: 0},
			{type: 'inbox.deleted', inbox_id: inbox.id},
		]);
	});

	test('reports the deletion of all messages of an inbox as one event', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const client = clientOf(tinbox, ann);
		const {id, email_address} = await client.inboxes.create();
		for (const subject of ['First', 'Second']) {
			await tinbox.deliver(email_address, mail(subject));
		}

		const {events} = await follow(tinbox, ann);
		await client.messages.deleteAll(id);
		await vi.waitFor(() => expect(events).toHaveLength(2));
		expect(events[1]).toEqual({type: 'messages.deleted', inbox_id: id, message_count: 0});
	});

	test('reports webhook deliveries', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const client = clientOf(tinbox, ann);
		const endpoint = await client.webhooks.create({url: 'http://127.0.0.1:9/hook'});
		const {events} = await follow(tinbox, ann);

		const {delivery} = await client.webhooks.test(endpoint.id);
		const {response_body: _, ...summary} = delivery;
		await vi.waitFor(() =>
			expect(events.at(-1)).toEqual({type: 'delivery.changed', endpoint_id: endpoint.id, delivery: summary}),
		);
	});

	test('reports created, triggered and deleted faults to users who can see the inbox', async () => {
		const tinbox = await openTinbox();
		const [ann, bob] = [await tinbox.user('ann'), await tinbox.user('bob')];
		const client = clientOf(tinbox, ann);
		const {id, email_address: to} = await client.inboxes.create();
		const [{events}, bobs] = [await follow(tinbox, ann), await follow(tinbox, bob)];
		const fault = await client.faults.create(id, {stage: 'rcpt', reply: '451 4.7.1 Try again later'});
		const who = {client: {host: '127.0.0.1', helo: 'app'}, user: null, from: 'app@example.com', to: [to]};
		await tinbox.faultEngine.evaluate({stage: 'rcpt', inboxIds: [id], ...who});
		await vi.waitFor(() => expect(events).toHaveLength(3));
		await client.faults.delete(id, fault.id);
		await vi.waitFor(() => expect(events).toHaveLength(4));
		const {hits} = await client.faults.hits(id);
		expect(events.slice(1)).toEqual([
			{type: 'faults.changed', inbox_id: id},
			{type: 'fault.hit', hit: hits[0]},
			{type: 'faults.changed', inbox_id: id},
		]);
		expect(hits[0]).toMatchObject({fault_id: fault.id, reply: '451 4.7.1 Try again later'});
		await clientOf(tinbox, bob).inboxes.create();
		await vi.waitFor(() => expect(bobs.events).toHaveLength(2));
		expect(bobs.events[1]).toMatchObject({type: 'inbox.created'});
	});

	test('hides events of other users', async () => {
		const tinbox = await openTinbox();
		const [ann, bob] = [await tinbox.user('ann'), await tinbox.user('bob')];
		const client = clientOf(tinbox, ann);
		const bobs = await follow(tinbox, bob);
		const inbox = await client.inboxes.create();
		await tinbox.deliver(inbox.email_address, mail('Secret'));
		const endpoint = await client.webhooks.create({url: 'http://127.0.0.1:9/hook'});
		await client.webhooks.test(endpoint.id);
		await clientOf(tinbox, bob).inboxes.create({name: 'mine'});
		await vi.waitFor(() => expect(bobs.events).toHaveLength(2));
		expect(bobs.events[1]).toMatchObject({type: 'inbox.created', inbox: {name: 'mine'}});
	});

	test('reports events of a team to its members only', async () => {
		const tinbox = await openTinbox();
		const [ann, bob] = [await tinbox.user('ann'), await tinbox.user('bob')];
		const {teams} = tinbox.services;
		const {team} = await teams.create(ann.user, 'Red');
		const client = clientOf(tinbox, ann);
		const inbox = await client.inboxes.create({team_id: team.id});
		const bobs = await follow(tinbox, bob);
		await tinbox.deliver(inbox.email_address, mail('Before'));
		await client.messages.list(inbox.id);

		const {token} = await teams.invite(ann.user, team.id, {email: bob.user.email, role: 'member'});
		await teams.accept(bob.user, token);
		await vi.waitFor(() => expect(bobs.events).toEqual(Array(2).fill({type: 'ready', resumed: false})));
		await tinbox.deliver(inbox.email_address, mail('During'));
		await vi.waitFor(() => expect(bobs.events[2]).toMatchObject({message: {subject: 'During'}}));

		await teams.removeMember(ann.user, team.id, bob.user.id);
		await vi.waitFor(() => expect(bobs.events[3]).toEqual({type: 'ready', resumed: false}));
		await tinbox.deliver(inbox.email_address, mail('After'));
		await clientOf(tinbox, bob).inboxes.create({name: 'mine'});
		await vi.waitFor(() => expect(bobs.events[4]).toMatchObject({inbox: {name: 'mine'}}));
	});

	test('hides events of an inbox that left the team from new members, including mail in transit', async () => {
		const tinbox = await openTinbox();
		const [ann, bob] = [await tinbox.user('ann'), await tinbox.user('bob')];
		const {teams, receiver} = tinbox.services;
		const {team} = await teams.create(ann.user, 'Red');
		const client = clientOf(tinbox, ann);
		const inbox = await client.inboxes.create({team_id: team.id});
		const hook = await clientOf(tinbox, bob).webhooks.create({url: 'http://127.0.0.1:9/hook'});
		const before = await follow(tinbox, bob);
		await tinbox.deliver(inbox.email_address, mail('Before'));
		let finish = () => {};
		const isRead = new Promise<void>(resolve => {
			const source = new Readable({read: () => resolve()});
			finish = () => {
				source.push(mail('Under way'));
				source.push(null);
			};
			const envelope = {from: '', to: [inbox.email_address]};
			receiver.receiveOne({envelope, session: plainTextSession, source}).catch(error => source.destroy(error));
		});
		await isRead;

		await client.inboxes.update(inbox.id, {team_id: null});
		const {token} = await teams.invite(ann.user, team.id, {email: bob.user.email, role: 'member'});
		await teams.accept(bob.user, token);
		await vi.waitFor(() => expect(before.events).toEqual(Array(2).fill({type: 'ready', resumed: false})));
		finish();
		await vi.waitFor(async () => expect(await client.messages.list(inbox.id)).toHaveLength(2));

		const {smtp, ...mine} = await clientOf(tinbox, bob).inboxes.create({team_id: team.id});
		expect(smtp?.username).toBe(mine.id);
		await vi.waitFor(() => expect(before.events.slice(2)).toEqual([{type: 'inbox.created', inbox: mine}]));
		const replayed = await follow(tinbox, bob, before.ids[0]);
		const resumed = await follow(tinbox, bob, before.ids[1]);
		await vi.waitFor(() => expect(resumed.events).toHaveLength(2));
		expect(replayed.events).toEqual([{type: 'ready', resumed: false}]);
		expect(resumed.events).toEqual([
			{type: 'ready', resumed: true},
			{type: 'inbox.created', inbox: mine},
		]);
		expect((await clientOf(tinbox, bob).webhooks.get(hook.id)).recent_deliveries).toEqual([]);
	});

	test('resumes after the last event without a gap', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const inbox = await clientOf(tinbox, ann).inboxes.create();
		const before = await follow(tinbox, ann);
		await tinbox.deliver(inbox.email_address, mail('1'));
		await vi.waitFor(() => expect(before.events).toHaveLength(2));
		before.stop();
		for (const subject of ['2', '3', '4']) {
			await tinbox.deliver(inbox.email_address, mail(subject));
		}

		const after = await follow(tinbox, ann, before.ids.at(-1));
		await vi.waitFor(() => expect(after.events).toHaveLength(4));
		expect(after.events[0]).toEqual({type: 'ready', resumed: true});
		expect(after.events.slice(1)).toMatchObject(['2', '3', '4'].map(subject => ({message: {subject}})));
		expect(new Set([...before.ids, ...after.ids]).size).toBe(5);
	});

	test.each(['no-such-run:1', 'x', '', '0:0:0'])('reports that it cannot resume after %j', async lastEventId => {
		const tinbox = await openTinbox();
		const {events} = await follow(tinbox, await tinbox.user('ann'), lastEventId);
		expect(events).toEqual([{type: 'ready', resumed: false}]);
	});

	test('reports that it cannot resume after a restart', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const before = await follow(tinbox, ann);
		const restarted = await tinbox.restart();
		const after = await follow(restarted, ann, before.ids.at(-1));
		expect(after.events).toEqual([{type: 'ready', resumed: false}]);
		expect(before.ended).toBe(true);
		await restarted.close();
	});

	test('ends immediately when its user is deleted', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const feed = await follow(tinbox, ann);
		await tinbox.services.users.delete(ann.user.id);
		await vi.waitFor(() => expect(feed.ended).toBe(true));
		expect(feed.events).toEqual([{type: 'ready', resumed: false}]);
	});

	test('ends when its key is revoked', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const feed = await follow(tinbox, ann);
		const [key] = await tinbox.services.keys.list(ann.user);
		await tinbox.services.keys.revoke(ann.user, key?.id ?? '');
		const second = await tinbox.services.keys.create(ann.user, 'Other');
		await tinbox.request('POST', '/inboxes', {key: second.raw});
		await vi.waitFor(() => expect(feed.ended).toBe(true));
		expect(feed.events).toEqual([{type: 'ready', resumed: false}]);
	});
});

const ready = {id: '1', event: {type: 'ready', resumed: false}} as const;
const deleted = (inboxId: string) => ({id: '2', event: {type: 'inbox.deleted', inboxId}}) as const;

test('events are serialized as an event stream, and no events as a comment', () => {
	expect(eventStreamText([ready, deleted('i1')])).toBe(
		'id: 1\nevent: ready\ndata: {"type":"ready","resumed":false}\n\n' +
			'id: 2\nevent: inbox.deleted\ndata: {"type":"inbox.deleted","inbox_id":"i1"}\n\n',
	);
	expect(eventStreamText([])).toBe(':\n\n');
});
