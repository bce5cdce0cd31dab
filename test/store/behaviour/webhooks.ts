import {describe, expect, test} from 'vitest';
import {at, noon, someDelivery, someEndpoint} from '../rows.js';
import type {CreateHarness} from './harness.js';

const firstPage = {page: 1, limit: 100};
const nobody = {endpoints: new Set<string>(), deliveries: new Set<string>()};

export function describeWebhooks(create: CreateHarness): void {
	describe('endpoints', () => {
		test('endpoints are listed for their user, newest first, and updated', async () => {
			const {store, next} = await create();
			const [first, second, foreign] = [someEndpoint(), someEndpoint(), someEndpoint({userId: 'bob'})];
			for (const endpoint of [first, second, foreign]) {
				await store.endpoints.create(endpoint);
			}

			const patch = {url: 'http://127.0.0.1:1/x', secret: 'new'};
			expect(await store.endpoints.update(first.id, patch)).toEqual({...first, ...patch});
			expect(await store.endpoints.update('no endpoint', patch)).toBeUndefined();
			const {endpoints} = await next();
			expect(await endpoints.listOf('owner')).toEqual([second, {...first, ...patch}]);
			expect(await endpoints.get(foreign.id)).toEqual(foreign);
		});

		test('active and subscribed endpoints of several users are found, each once', async () => {
			const {store, next} = await create();
			const [ada, bob] = [someEndpoint({userId: 'ada'}), someEndpoint({userId: 'bob'})];
			const others = [
				someEndpoint({userId: 'ada', isActive: false}),
				someEndpoint({userId: 'bob', events: []}),
				someEndpoint(),
			];
			for (const endpoint of [ada, bob, ...others]) {
				await store.endpoints.create(endpoint);
			}

			const {endpoints} = await next();
			expect(await endpoints.subscribed(['ada', 'bob', 'ada'], 'message.received')).toEqual([ada, bob]);
		});

		test('deleting an endpoint deletes its deliveries, also one that is put at the same moment', async () => {
			const {store, next} = await create();
			const endpoint = someEndpoint();
			await store.endpoints.create(endpoint);
			const [known, late] = [someDelivery(endpoint.id), someDelivery(endpoint.id)];
			await store.deliveries.put([known]);
			const [deleted] = await Promise.all([store.endpoints.delete(endpoint.id), store.deliveries.put([late, known])]);
			expect(deleted).toBe(true);
			expect(await store.endpoints.delete(endpoint.id)).toBe(false);
			const {deliveries} = await next();
			expect(await deliveries.get(known.id)).toBeUndefined();
			expect(await deliveries.get(late.id)).toBeUndefined();
			expect(await deliveries.nextDue('')).toBeUndefined();
		});
	});

	describe('deliveries', () => {
		test('deliveries are listed newest first, filtered, with how many match', async () => {
			const {store, next} = await create();
			const endpoint = someEndpoint();
			await store.endpoints.create(endpoint);
			const [one, two, three] = [someDelivery(endpoint.id), someDelivery(endpoint.id), someDelivery(endpoint.id)];
			await store.deliveries.put([one, two]);
			await store.deliveries.put([three]);
			const done = {...one, status: 'delivered', attempts: 1, nextAttemptAt: null} as const;
			await store.deliveries.put([done]);
			await store.deliveries.put([]);
			const {deliveries} = await next();
			expect(await deliveries.get(one.id)).toEqual(done);
			expect(await deliveries.list(endpoint.id, {}, firstPage)).toEqual({rows: [three, two, done], total: 3});
			const pending = {status: 'pending', event: 'message.received'} as const;
			expect(await deliveries.list(endpoint.id, pending, {page: 2, limit: 1})).toEqual({rows: [two], total: 2});
			expect(await deliveries.list('no endpoint', {}, firstPage)).toEqual({rows: [], total: 0});
		});

		test('of each active endpoint the delivery that has been due longest is due, the longest due first', async () => {
			const {store, next} = await create();
			const [busy, quiet, paused] = [someEndpoint(), someEndpoint(), someEndpoint({isActive: false})];
			for (const endpoint of [busy, quiet, paused]) {
				await store.endpoints.create(endpoint);
			}

			const due = (endpointId: string, seconds: number) => someDelivery(endpointId, {nextAttemptAt: at(seconds)});
			const [b3, b1, q2, p0, q9] = [
				due(busy.id, 3),
				due(busy.id, 1),
				due(quiet.id, 2),
				due(paused.id, 0),
				due(quiet.id, 9),
			];
			const done = someDelivery(busy.id, {status: 'dead', nextAttemptAt: null});
			await store.deliveries.put([b3, b1, q2, p0, q9, done]);
			const {deliveries, endpoints} = await next();
			expect(await deliveries.due(at(5), 9, nobody)).toEqual([b1, q2]);
			expect(await deliveries.due(at(5), 1, nobody)).toEqual([b1]);
			expect(await deliveries.due(at(0), 9, nobody)).toEqual([]);
			expect(await deliveries.due(at(5), 9, {...nobody, deliveries: new Set([b1.id])})).toEqual([q2, b3]);
			expect(await deliveries.due(at(5), 9, {...nobody, endpoints: new Set([busy.id])})).toEqual([q2]);
			expect(await deliveries.nextDue(noon)).toBe(at(1));
			expect(await deliveries.nextDue(at(3))).toBe(at(9));
			expect(await deliveries.nextDue(at(9))).toBeUndefined();

			await endpoints.update(paused.id, {isActive: true});
			await endpoints.update(quiet.id, {isActive: false});
			expect(await deliveries.due(at(5), 9, nobody)).toEqual([p0, b1]);
			await deliveries.put([
				{...b1, nextAttemptAt: at(20)},
				{...p0, status: 'delivered', nextAttemptAt: null},
			]);
			expect(await deliveries.due(at(30), 9, nobody)).toEqual([b3]);
			expect(await deliveries.nextDue(at(3))).toBe(at(20));
		});

		test('pending deliveries without a next attempt are those that were interrupted', async () => {
			const {store, next} = await create();
			const endpoint = someEndpoint();
			await store.endpoints.create(endpoint);
			const test = someDelivery(endpoint.id, {isTest: true, nextAttemptAt: null});
			const finished = someDelivery(endpoint.id, {status: 'failed', nextAttemptAt: null});
			await store.deliveries.put([someDelivery(endpoint.id), test, finished]);
			expect(await (await next()).deliveries.interrupted()).toEqual([test]);
		});

		test('pruning takes finished deliveries that are too many or too old', async () => {
			const {store, next} = await create();
			const endpoint = someEndpoint();
			await store.endpoints.create(endpoint);
			const finished = {status: 'delivered', nextAttemptAt: null} as const;
			const old = someDelivery(endpoint.id, {...finished, createdAt: at(-60)});
			const open = someDelivery(endpoint.id, {createdAt: at(-60)});
			const [a, b, c] = [1, 2, 3].map(seconds => someDelivery(endpoint.id, {...finished, createdAt: at(seconds)}));
			await store.deliveries.put([old, open, a, b, c].filter(row => row !== undefined));
			await store.deliveries.prune(endpoint.id, {keep: 9, since: noon, responseLength: 100});
			const list = async () => (await (await next()).deliveries.list(endpoint.id, {}, firstPage)).rows;
			expect(await list()).toEqual([c, b, a, open]);
			await (await next()).deliveries.prune(endpoint.id, {keep: 2, since: noon, responseLength: 100});
			expect(await list()).toEqual([c, b, open]);
			await (await next()).deliveries.prune('no endpoint', {keep: 0, since: noon, responseLength: 0});
		});

		test('pruning drops responses beyond so many characters in all, the oldest first', async () => {
			const {store, next} = await create();
			const endpoint = someEndpoint();
			await store.endpoints.create(endpoint);
			const rows = ['oldest', null, 'fails again', 'long', 'newest'].map((responseBody, index) =>
				someDelivery(endpoint.id, {responseBody, status: 'failed', createdAt: at(index)}),
			);
			await store.deliveries.put(rows);
			await store.deliveries.prune(endpoint.id, {
				keep: 9,
				since: noon,
				responseLength: 'newest'.length + 'long'.length,
			});
			const list = async () => (await (await next()).deliveries.list(endpoint.id, {}, firstPage)).rows;
			const [oldest, unanswered, unfinished, ...others] = rows;
			const kept = [{...oldest, responseBody: null}, unanswered, {...unfinished, responseBody: null}, ...others];
			expect(await list()).toEqual(kept.toReversed());
			await (await next()).deliveries.prune(endpoint.id, {keep: 9, since: noon, responseLength: 100});
			expect(await list()).toEqual(kept.toReversed());
		});
	});
}
