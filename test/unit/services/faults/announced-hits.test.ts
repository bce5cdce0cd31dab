import {Webhook} from 'standardwebhooks';
import {expect, test, vi} from 'vitest';
import type {Fault} from '../../../../src/domain/faults/fault.js';
import {type FaultContext, FaultEngine} from '../../../../src/services/faults/engine.js';
import {blockNamed} from '../../../e2e/docs/blocks.js';
import {noopObserver} from '../../../helpers/resources.js';
import {noResponse, startReceiver} from '../../../helpers/webhook-receiver.js';
import {createInbox, createUser, WebhookWorld, type WebhookWorldOptions} from '../../../helpers/webhook-world.js';
import {someFault} from '../../store/rows.js';

const log = {info: () => {}, warn: () => {}, error: () => {}};
const onFaults = {events: ['fault.hit' as const]};
const until = (condition: () => void | Promise<void>) => vi.waitFor(condition, {timeout: 20_000, interval: 5});

/** Names of all fields, in order. */
function shapeOf(value: unknown): unknown {
	return value instanceof Object ? Object.entries(value).map(([name, field]) => [name, shapeOf(field)]) : null;
}

/** Opens a world with a fault engine for its inboxes. */
async function openWorld(options: WebhookWorldOptions = {}) {
	const world = await WebhookWorld.open(options);
	const {feed, services} = world;
	const engine = new FaultEngine(world.store, {
		parser: {fitMatches: async () => []},
		feed,
		deliveryPlanner: services.deliveryPlanner,
		inboxes: null,
		observer: noopObserver,
		now: () => world.now(),
		log,
	});
	return {
		world,
		async add(inboxId: string | null, fields: Partial<Fault> = {}) {
			const fault = someFault({inboxId, name: 'greylist', reply: '451 4.7.1 Try again later', ...fields});
			await world.store.faults.create(fault, 100);
			return fault;
		},
		async trigger(inboxId = world.inbox.id, fields: Partial<FaultContext> = {}) {
			return engine.evaluate({
				stage: 'rcpt',
				client: {host: '127.0.0.1', helo: 'app'},
				user: null,
				inboxIds: [inboxId],
				from: 'app@example.com',
				to: ['signup@tinbox.test'],
				...fields,
			});
		},
	};
}

test('a fault hit is sent, signed, only to endpoints that subscribe to it', async () => {
	const {world, add, trigger} = await openWorld();
	const receiver = await startReceiver(200);
	const endpoint = await world.endpoint(`${receiver.url}/faults`, onFaults);
	const ofMail = await world.endpoint(`${receiver.url}/mail`);
	const fault = await add(world.inbox.id);
	await trigger();
	await until(async () => expect(await world.log(endpoint)).toMatchObject([{status: 'delivered', attempts: 1}]));
	const [{url, headers, body} = {url: '', headers: {}, body: ''}] = receiver.requests;
	expect(url).toBe('/hook/faults');
	expect(headers).toMatchObject({'x-tinbox-event': 'fault.hit'});
	const payload = new Webhook(endpoint.secret).verify(body, headers as Record<string, string>);
	expect(payload).toEqual({
		event: 'fault.hit',
		inbox_id: world.inbox.id,
		fault: {id: fault.id, name: 'greylist'},
		hit: {
			id: expect.any(String),
			time: expect.stringMatching(/^\d{4}-.*Z$/),
			stage: 'rcpt',
			client: {host: '127.0.0.1', helo: 'app'},
			user: null,
			envelope: {from: 'app@example.com', to: ['signup@tinbox.test']},
			reply: '451 4.7.1 Try again later',
			drop: null,
			delay_ms: 0,
			message_id: null,
		},
	});
	const printed = blockNamed('Fault events: json', 'docs/webhooks.md');
	expect(shapeOf(payload)).toEqual(shapeOf(JSON.parse(printed)));
	expect(await world.log(ofMail)).toEqual([]);
	expect(receiver.requests).toHaveLength(1);
});

test('hits of a team inbox are sent to all members, and hits of the daemon to the local user', async () => {
	const {world, add, trigger} = await openWorld();
	const [member, outsider] = [createUser('member'), createUser('outsider')];
	await world.store.users.create(member);
	await world.store.users.create(outsider);
	const joinedAt = '2026-01-01T00:00:00.000Z';
	const members = [
		{userId: outsider.id, role: 'owner', joinedAt},
		{userId: member.id, role: 'member', joinedAt},
	] as const;
	await world.store.teams.create(
		{id: 't1', name: 'Team', ownerId: outsider.id, members, generation: 0, createdAt: joinedAt},
		1,
	);
	const shared = createInbox(outsider, 't1');
	await world.store.inboxes.create(shared);
	const receiver = await startReceiver(200);
	for (const user of [world.user, member, outsider]) {
		await world.endpoint(`${receiver.url}/${user.name}`, onFaults, user);
	}

	const announced = () =>
		receiver.requests.map(({url, body}) => [url.slice('/hook/'.length), JSON.parse(body).inbox_id]);
	await add(shared.id, {times: 1});
	await add(null);
	await trigger(shared.id);
	await until(() => expect(receiver.requests).toHaveLength(2));
	await trigger(shared.id);
	await until(() => expect(receiver.requests).toHaveLength(3));
	expect(announced().sort()).toEqual([
		['member', shared.id],
		['outsider', shared.id],
		['owner', null],
	]);
});

test('a hit of a deleted inbox is not sent', async () => {
	const {world, add, trigger} = await openWorld();
	const endpoint = await world.endpoint('http://127.0.0.1:9/', onFaults);
	const deletedInbox = createInbox(world.user);
	await world.store.inboxes.create(deletedInbox);
	await add(deletedInbox.id);
	const triggered = trigger(deletedInbox.id);
	await world.store.inboxes.delete(deletedInbox.id);
	await triggered;
	await add(world.inbox.id);
	await trigger();
	await until(async () => expect(await world.log(endpoint)).toHaveLength(1));
	const [delivery] = await world.log(endpoint);
	expect(delivery?.body).toContain(world.inbox.id);
});

test('hits that were not sent before a restart are sent after it', async () => {
	const {world, add, trigger} = await openWorld({retryDelayMs: 1000});
	const receiver = await startReceiver(500, 200);
	const endpoint = await world.endpoint(receiver.url, onFaults);
	await add(world.inbox.id);
	await trigger();
	await until(async () => expect(await world.log(endpoint)).toMatchObject([{status: 'failed', attempts: 1}]));
	await world.stop();
	await world.start();
	await until(async () => expect(await world.log(endpoint)).toMatchObject([{status: 'delivered', attempts: 2}]));
	const [first, second] = receiver.requests.map(({body, headers}) => ({body, id: headers['x-tinbox-delivery-id']}));
	expect(second).toEqual(first);
});

test('hits beyond the limit of deliveries are stored, and the log of the endpoint explains the missing attempt', async () => {
	const {world, add, trigger} = await openWorld({maxDeliveries: {perUser: 1, total: 100}});
	const receiver = await startReceiver(noResponse);
	const endpoint = await world.endpoint(receiver.url, onFaults);
	const fault = await add(world.inbox.id);
	await trigger();
	await until(async () => expect(await world.log(endpoint)).toHaveLength(1));
	await trigger();
	await until(async () => expect(await world.log(endpoint)).toMatchObject([{status: 'dead'}, {status: 'pending'}]));
	const [dead] = await world.log(endpoint);
	expect(dead?.responseBody).toMatch(/^Not sent: .*--max-deliveries/);
	expect(await world.store.faults.hits({faultId: fault.id}, {page: 1, limit: 10})).toMatchObject({total: 2});
});

test('long texts are truncated in the payload of a hit', async () => {
	const {world, add, trigger} = await openWorld({send: async () => ({ok: true, status: 200, body: ''})});
	const endpoint = await world.endpoint('http://127.0.0.1:9/', onFaults);
	await add(world.inbox.id);
	const long = 'é'.repeat(5000);
	await trigger(world.inbox.id, {
		client: {host: '127.0.0.1', helo: long},
		user: long,
		from: long,
		to: Array.from({length: 100}, () => long),
	});
	await until(async () => expect(await world.log(endpoint)).toHaveLength(1));
	const [delivery] = await world.log(endpoint);
	expect(delivery?.body.length).toBeLessThan(5 * 1024);
});
