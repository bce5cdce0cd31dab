import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {DeliveryBudget} from '../../../../src/store/port.js';
import {at, dueAmong, noon, someDelivery, someEndpoint} from '../rows.js';
import type {CreateHarness} from './harness.js';

const firstPage = {page: 1, limit: 100};
const without =
	(...ids: readonly string[]) =>
	(id: string) =>
		ids.includes(id) ? 0 : 1;

export function describeWebhooks(create: CreateHarness): void {
	describe('endpoints', () => {
		test('endpoints are listed newest first for their user, and updated', async () => {
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

		test('active endpoints of several users with a subscription are found once each', async () => {
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

		test('deleting an endpoint deletes its deliveries, also one added concurrently', async () => {
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
		test('deliveries are listed newest first with filters and the number of matches', async () => {
			const {store, next} = await create();
			const endpoint = someEndpoint();
			await store.endpoints.create(endpoint);
			const announcing = (messageId: string) => someDelivery(endpoint.id, {messageId});
			const [one, two, three] = [announcing('a'), announcing('b'), announcing('a')];
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
			const ofMessage = async (messageId: string) => deliveries.list(endpoint.id, {messageId}, firstPage);
			expect(await ofMessage('a')).toEqual({rows: [three, done], total: 2});
			expect(await ofMessage('c')).toEqual({rows: [], total: 0});
		});

		test('a lease takes the longest due delivery of each user to an active endpoint, the longest due first', async () => {
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
			const dueAt = async (seconds: number, room: Partial<DeliveryBudget> = {}) =>
				(await dueAmong(deliveries, at(seconds), room)).map(({delivery}) => delivery);
			expect(await dueAmong(deliveries, at(5))).toEqual([
				{delivery: b1, endpoint: busy},
				{delivery: q2, endpoint: quiet},
			]);
			expect(await dueAt(5, {all: 1})).toEqual([b1]);
			expect(await dueAt(0)).toEqual([]);
			expect(await dueAt(5, {ofUser: () => 2, ofEndpoint: () => 2})).toEqual([b1, q2, b3]);
			expect(await dueAt(5, {ofEndpoint: without(busy.id)})).toEqual([q2]);
			expect(await dueAt(5, {ofUser: without('ada')})).toEqual([q2]);
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

		test('a lease prefers the longest waiting endpoint of a user, and takes another one if that is full', async () => {
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
				const [due] = await dueAmong(deliveries, at(5), {ofEndpoint: without(...ids)});
				return due?.delivery;
			};
			expect(await dueBut()).toEqual(e1);
			expect(await dueBut(early.id)).toEqual(l2);
			expect(await deliveries.leaseOne(e1.id)).toEqual({delivery: e1, endpoint: early});
			expect(await dueBut(late.id)).toEqual(e3);
			await deliveries.finish({...e1, nextAttemptAt: null, status: 'delivered'});
			expect(await dueBut()).toEqual(l2);
		});

		test('after any changes, a lease takes the deliveries that a scan of all rows finds', async () => {
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
						const ofUser = (id: string) => (id === userId ? 1 : 0);
						const [due] = await dueAmong(store.deliveries, at(3), {ofUser});
						expect(due?.delivery.nextAttemptAt).toBe(times.sort()[0]);
					}
				}),
				{numRuns: 20},
			);
			// Leases all deliveries. Those with the same due time have no order.
			const room = {ofUser: () => rows.length, ofEndpoint: () => rows.length};
			const found = new Set(await dueAmong(store.deliveries, at(3), room));
			expect(new Set(await dueAmong((await next()).deliveries, at(3), room))).toEqual(found);
		});

		test('a leased delivery is not leased again until its release, and can be finished only while leased', async () => {
			const {store, next} = await create();
			const endpoint = someEndpoint();
			await store.endpoints.create(endpoint);
			const [first, second] = [someDelivery(endpoint.id), someDelivery(endpoint.id, {nextAttemptAt: at(1)})];
			await store.deliveries.put([first, second]);
			const one = {all: 1, ofUser: () => 9, ofEndpoint: () => 9};
			const {deliveries} = store;
			expect(await deliveries.lease(at(5), one)).toEqual([{delivery: first, endpoint}]);
			expect(await deliveries.leaseOne(first.id)).toEqual({delivery: first, endpoint});
			expect(await deliveries.lease(at(5), one)).toEqual([{delivery: second, endpoint}]);
			expect(await deliveries.lease(at(5), one)).toEqual([]);
			await deliveries.release(second.id);
			expect(await deliveries.finish({...second, status: 'dead', nextAttemptAt: null})).toBe(false);
			const failed = {...first, status: 'failed', attempts: 1, nextAttemptAt: at(3)} as const;
			expect(await deliveries.finish(failed)).toBe(true);
			expect(await deliveries.finish(first)).toBe(false);
			expect((await deliveries.lease(at(5), {...one, all: 9})).map(({delivery}) => delivery)).toEqual([second, failed]);
			const done = {...failed, status: 'delivered', attempts: 2, nextAttemptAt: null} as const;
			expect(await deliveries.finish(done)).toBe(true);
			await deliveries.release(second.id);
			expect(await (await next()).deliveries.get(first.id)).toEqual(done);
		});

		test('at most four deliveries of an endpoint are leased at once', async () => {
			const {store} = await create();
			const [endpoint, other] = [someEndpoint(), someEndpoint()];
			const {deliveries} = store;
			for (const each of [endpoint, other]) {
				await store.endpoints.create(each);
			}

			const rows = Array.from({length: 6}, (_, index) => someDelivery(endpoint.id, {nextAttemptAt: at(index)}));
			const tested = someDelivery(endpoint.id, {isTest: true, nextAttemptAt: null});
			await deliveries.put([...rows, tested, someDelivery(other.id, {nextAttemptAt: at(9)})]);
			const room = {all: 9, ofUser: () => 9, ofEndpoint: () => 9};
			const leased = await deliveries.lease(at(9), room);
			expect(leased.map(due => due.endpoint.id)).toEqual([...Array(4).fill(endpoint.id), other.id]);
			expect(await deliveries.lease(at(9), room)).toEqual([]);
			expect(await deliveries.leaseOne(tested.id)).toBe('busy');
			await deliveries.release(rows[1]?.id ?? '');
			expect(await deliveries.leaseOne(tested.id)).toEqual({delivery: tested, endpoint});
			expect(await deliveries.lease(at(9), room)).toEqual([]);
			await store.endpoints.delete(endpoint.id);
			expect(await deliveries.leaseOne(tested.id)).toBeUndefined();
			expect(await deliveries.finish({...tested, status: 'delivered'})).toBe(false);
		});

		test('a finished delivery can be leased and finished again', async () => {
			const {store, next} = await create();
			const endpoint = someEndpoint({isActive: false});
			await store.endpoints.create(endpoint);
			const [before, dead, after] = [1, 2, 3].map(seconds =>
				someDelivery(endpoint.id, {status: 'dead', nextAttemptAt: null, attempts: 3, createdAt: at(seconds)}),
			);
			await store.deliveries.put([before, dead, after].filter(row => row !== undefined));
			expect(await store.deliveries.leaseOne(dead?.id ?? '')).toEqual({delivery: dead, endpoint});
			expect((await store.deliveries.list(endpoint.id, {}, firstPage)).rows).toEqual([after, dead, before]);
			const again = {...(dead ?? someDelivery('none')), status: 'delivered', attempts: 4} as const;
			expect(await store.deliveries.finish(again)).toBe(true);
			expect((await (await next()).deliveries.list(endpoint.id, {}, firstPage)).rows).toEqual([after, again, before]);
		});

		test('a pending test delivery is leased as interrupted after its process ended', async () => {
			const {store, next} = await create();
			const endpoint = someEndpoint();
			await store.endpoints.create(endpoint);
			const test = someDelivery(endpoint.id, {isTest: true, nextAttemptAt: null});
			const finished = someDelivery(endpoint.id, {status: 'failed', nextAttemptAt: null});
			await store.deliveries.put([someDelivery(endpoint.id), test, finished]);
			expect(await store.deliveries.leaseInterrupted()).toEqual([]);
			const {deliveries} = await next();
			if (deliveries === store.deliveries) {
				return;
			}

			await store.close();

			expect(await deliveries.leaseInterrupted()).toEqual([test]);
			expect(await deliveries.leaseInterrupted()).toEqual([]);
			await deliveries.release(test.id);
			expect(await deliveries.leaseInterrupted()).toEqual([test]);
			expect(await deliveries.finish({...test, status: 'failed'})).toBe(true);
			expect(await deliveries.leaseInterrupted()).toEqual([]);
		});

		test('pruning deletes finished deliveries beyond the maximum number or age', async () => {
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

		test('pruning drops the oldest responses beyond the maximum total length', async () => {
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
			const expected = [{...oldest, responseBody: null}, unanswered, {...unfinished, responseBody: null}, ...others];
			expect(await list()).toEqual(expected.toReversed());
			await (await next()).deliveries.prune(endpoint.id, {keep: 9, since: noon, responseLength: 100});
			expect(await list()).toEqual(expected.toReversed());
		});
	});
}
