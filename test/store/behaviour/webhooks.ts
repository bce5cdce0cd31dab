import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {at, noon, someDelivery, someEndpoint} from '../rows.js';
import type {CreateHarness} from './harness.js';

const firstPage = {page: 1, limit: 100};
const none = new Set<string>();
const nobody = {users: none, endpoints: none, deliveries: none};

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

		test('of each user the delivery to an active endpoint that has been due longest is due, the longest due first', async () => {
			const {store, next} = await create();
			const [busy, quiet, paused] = [
				someEndpoint({userId: 'ada'}),
				someEndpoint({userId: 'bob'}),
				someEndpoint({userId: 'eve', isActive: false}),
			];
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
			const dueAt = async (seconds: number, limit = 9, passed = {}) =>
				(await deliveries.due(at(seconds), limit, {...nobody, ...passed})).map(({delivery}) => delivery);
			expect(await deliveries.due(at(5), 9, nobody)).toEqual([
				{delivery: b1, endpoint: busy},
				{delivery: q2, endpoint: quiet},
			]);
			expect(await dueAt(5, 1)).toEqual([b1]);
			expect(await dueAt(0)).toEqual([]);
			expect(await dueAt(5, 9, {deliveries: new Set([b1.id])})).toEqual([b3, q2]);
			expect(await dueAt(5, 9, {endpoints: new Set([busy.id])})).toEqual([q2]);
			expect(await dueAt(5, 9, {users: new Set(['ada'])})).toEqual([q2]);
			expect(await deliveries.nextDue(noon)).toBe(at(1));
			expect(await deliveries.nextDue(at(3))).toBe(at(9));
			expect(await deliveries.nextDue(at(9))).toBeUndefined();

			await endpoints.update(paused.id, {isActive: true});
			await endpoints.update(quiet.id, {isActive: false});
			expect(await dueAt(5)).toEqual([p0, b1]);
			await deliveries.put([
				{...b1, nextAttemptAt: at(20)},
				{...p0, status: 'delivered', nextAttemptAt: null},
			]);
			expect(await dueAt(30)).toEqual([b3]);
			expect([await deliveries.nextDue(at(3)), await deliveries.nextDue(at(9))]).toEqual([at(9), at(20)]);
			await endpoints.delete(busy.id);
			expect([await dueAt(30), await deliveries.nextDue(at(9))]).toEqual([[], undefined]);
		});

		test('of several endpoints of a user the one that waits longest comes first, and others in its place', async () => {
			const {store, next} = await create();
			const [late, early] = [someEndpoint(), someEndpoint()];
			for (const endpoint of [late, early]) {
				await store.endpoints.create(endpoint);
			}

			const [l2, e1, e3] = [
				someDelivery(late.id, {nextAttemptAt: at(2)}),
				someDelivery(early.id, {nextAttemptAt: at(1)}),
				someDelivery(early.id, {nextAttemptAt: at(3)}),
			];
			await store.deliveries.put([l2, e1, e3]);
			const {deliveries} = await next();
			const dueBut = async (...ids: readonly string[]) => {
				const [due] = await deliveries.due(at(5), 9, {...nobody, deliveries: new Set(ids), endpoints: new Set(ids)});
				return due?.delivery;
			};
			expect(await dueBut()).toEqual(e1);
			expect(await dueBut(early.id)).toEqual(l2);
			expect(await dueBut(late.id, e1.id)).toEqual(e3);
			await deliveries.put([{...e1, nextAttemptAt: null, status: 'delivered'}]);
			expect(await dueBut()).toEqual(l2);
		});

		test('with any changes, what is due is what a look at every row would find', async () => {
			const {store, next} = await create();
			const endpoints = ['ada', 'bob'].flatMap(userId => [someEndpoint({userId}), someEndpoint({userId})]);
			const rows = endpoints.flatMap(({id}) => [someDelivery(id), someDelivery(id)]);
			for (const endpoint of endpoints) {
				await store.endpoints.create(endpoint);
			}

			const time = fc.option(fc.integer({min: 0, max: 5}));
			const step = fc.record({row: fc.nat(rows.length - 1), time, isActive: fc.boolean(), isToggle: fc.boolean()});
			const isActive = new Map(endpoints.map(({id}) => [id, true]));
			const timeOf = new Map<string, string | null>(rows.map(({id}) => [id, null]));
			await fc.assert(
				fc.asyncProperty(fc.array(step, {maxLength: 8}), async steps => {
					for (const each of steps) {
						const row = rows[each.row] ?? someDelivery('none');
						if (each.isToggle) {
							isActive.set(row.endpointId, each.isActive);
							await store.endpoints.update(row.endpointId, {isActive: each.isActive});
						} else {
							timeOf.set(row.id, each.time === null ? null : at(each.time));
							await store.deliveries.put([{...row, nextAttemptAt: timeOf.get(row.id) ?? null}]);
						}
					}

					for (const userId of ['ada', 'bob']) {
						const own = endpoints.filter(endpoint => endpoint.userId === userId && isActive.get(endpoint.id));
						const times = rows
							.filter(row => own.some(({id}) => id === row.endpointId))
							.map(({id}) => timeOf.get(id) ?? at(9))
							.filter(each => each <= at(3));
						const users = new Set(['ada', 'bob'].filter(id => id !== userId));
						const [due] = await store.deliveries.due(at(3), 9, {...nobody, users});
						expect(due?.delivery.nextAttemptAt).toBe(times.sort()[0]);
					}
				}),
				{numRuns: 20},
			);
			const found = await store.deliveries.due(at(3), 9, nobody);
			expect(await (await next()).deliveries.due(at(3), 9, nobody)).toEqual(found);
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
