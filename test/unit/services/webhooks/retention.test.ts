import {expect, test} from 'vitest';
import {afterAttempt, newDelivery} from '../../../../src/domain/webhooks/delivery.js';
import {DeliveryRetention} from '../../../../src/services/webhooks/retention.js';
import {createUser, WebhookWorld} from '../../../helpers/webhook-world.js';

const log = {info: () => {}, warn: () => {}, error: () => {}};
const day = 86_400_000;
const success = {ok: true, status: 200, body: ''};
const sample = {event: 'message.received', messageId: null, isTest: true} as const;

async function openLog(count: number, body = '') {
	const world = await WebhookWorld.open({send: async () => ({ok: true, status: 200, body})});
	const endpoint = await world.endpoint('http://127.0.0.1:9/');
	for (let made = 0; made < count; made += 1) {
		await world.services.webhooks.test(world.user, endpoint.id);
	}

	return {world, endpoint};
}

test('the log of an endpoint keeps its newest deliveries', async () => {
	const {world, endpoint} = await openLog(7);
	const before = await world.log(endpoint);
	const retention = new DeliveryRetention(world.store, {
		keep: 5,
		keepMs: day,
		now: () => world.now(),
		log,
	});
	await retention.sweep();
	expect(await world.log(endpoint)).toEqual(before.slice(0, 5));
});

test('the log of an endpoint keeps no deliveries older than the limit', async () => {
	const {world, endpoint} = await openLog(3);
	const retention = new DeliveryRetention(world.store, {
		keep: 5,
		keepMs: day,
		now: () => world.now(),
		log,
	});
	await retention.sweep();
	expect(await world.log(endpoint)).toHaveLength(3);
	world.aheadMs = day + 60_000;
	await retention.sweep();
	expect(await world.log(endpoint)).toEqual([]);
});

test('the log of an endpoint keeps 1 MiB of responses, from its newest deliveries', async () => {
	const longest = 'x'.repeat(16 * 1024);
	const {world, endpoint} = await openLog(70, longest);
	const retention = new DeliveryRetention(world.store, {
		keep: 100,
		keepMs: day,
		now: () => world.now(),
		log,
	});
	await retention.sweep();
	const bodies = (await world.log(endpoint)).map(({responseBody}) => responseBody);
	expect(bodies).toEqual([...Array.from({length: 64}, () => longest), ...Array.from({length: 6}, () => null)]);
});

test('the logs of a user share 64 MiB of responses equally', async () => {
	const {world, endpoint} = await openLog(0);
	for (let made = 1; made < 128; made += 1) {
		await world.endpoint('http://127.0.0.1:9/');
	}

	const response = {...success, body: 'x'.repeat(16 * 1024)};
	const rows = Array.from({length: 40}, () =>
		afterAttempt(newDelivery({...sample, endpointId: endpoint.id, body: ''}, world.now()), response, world.now(), 0),
	);
	await world.store.deliveries.put(rows);
	const retention = new DeliveryRetention(world.store, {keep: 100, keepMs: day, now: () => world.now(), log});
	await retention.sweep();
	const kept = (await world.log(endpoint)).filter(({responseBody}) => responseBody !== null);
	expect(kept).toHaveLength(32);
});

test('a sweep trims a log again only after its growth was noted', async () => {
	const {world, endpoint} = await openLog(5);
	const retention = new DeliveryRetention(world.store, {
		keep: 5,
		keepMs: day,
		now: () => world.now(),
		log,
	});
	await retention.sweep();
	await world.services.webhooks.test(world.user, endpoint.id);
	await retention.sweep();
	expect(await world.log(endpoint)).toHaveLength(6);
	retention.note(endpoint.id, world.user.id);
	await retention.sweep();
	expect(await world.log(endpoint)).toHaveLength(5);
});

test('a delivery that waits for an attempt is never deleted', async () => {
	const world = await WebhookWorld.open({
		retryDelayMs: 60 * day,
		send: async () => ({ok: false, status: 500, body: ''}),
	});
	const endpoint = await world.endpoint('http://127.0.0.1:9/');
	await world.services.webhooks.update(world.user, endpoint.id, {isActive: false});
	await world.services.webhooks.update(world.user, endpoint.id, {isActive: true});
	await world.receive('hello');
	await expect.poll(async () => (await world.log(endpoint))[0]?.status).toBe('failed');
	world.aheadMs = 40 * day;
	const retention = new DeliveryRetention(world.store, {
		keep: 0,
		keepMs: day,
		now: () => world.now(),
		log,
	});
	await retention.sweep();
	expect(await world.log(endpoint)).toHaveLength(1);
});

test('the logs of a user keep the last finished deliveries, up to the limit for fifty endpoints', async () => {
	const {world, endpoint} = await openLog(0);
	const other = await world.endpoint('http://127.0.0.1:9/other');
	const bob = createUser('bob');
	await world.store.users.create(bob);
	const foreign = await world.endpoint('http://127.0.0.1:9/', {}, bob);
	const finished = (endpointId: string, body = '{}') =>
		afterAttempt(newDelivery({...sample, endpointId, body}, world.now()), success, world.now(), 0);
	const [oldest, long, newest] = [
		finished(endpoint.id),
		finished(other.id, 'x'.repeat(40 * 1024)),
		finished(endpoint.id),
	];
	const rows = [oldest, long, ...Array.from({length: 9}, () => finished(other.id)), newest];
	await world.store.deliveries.put([...rows, finished(foreign.id)]);
	const retention = new DeliveryRetention(world.store, {keep: 1, keepMs: day, now: () => world.now(), log});
	await retention.trim(world.user.id);
	expect(await world.log(endpoint)).toEqual([newest]);
	expect(await world.log(other)).toHaveLength(10);
	await world.store.deliveries.put([finished(endpoint.id)]);
	await retention.trim(world.user.id);
	expect(await world.store.deliveries.get(long.id)).toBeUndefined();
	expect([...(await world.log(endpoint)), ...(await world.log(other)), ...(await world.log(foreign))]).toHaveLength(12);
});
