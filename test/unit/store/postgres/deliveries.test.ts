import {setImmediate as turn} from 'node:timers/promises';
import postgresDriver from 'postgres';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {Delivery} from '../../../../src/domain/webhooks/delivery.js';
import type {Due} from '../../../../src/store/port.js';
import {hasNoPostgres, newDatabase, openNode} from '../postgres-fixture.js';
import {at, noon, someDelivery, someEndpoint, someUser} from '../rows.js';

const room = {all: 100, ofUser: () => 100, ofEndpoint: () => 100};
const firstPage = {page: 1, limit: 100};

describe.skipIf(hasNoPostgres)('deliveries on PostgreSQL', () => {
	/** Two nodes on one database with an endpoint, and a session of the test. */
	async function openTwo() {
		const url = await newDatabase();
		const [one, other] = [await openNode(url), await openNode(url)];
		const user = someUser();
		await one.users.create(user);
		const endpoint = someEndpoint({userId: user.id});
		await one.endpoints.create(endpoint);
		const sql = postgresDriver(url, {max: 1, onnotice: () => {}});
		onTestFinished(async () => sql.end());
		const endLeases = async () => sql`update tinbox.leases set until = now() - interval '1 second'`;
		return {url, one, other, user, endpoint, sql, endLeases};
	}

	const idsOf = (leased: readonly Due[]) => leased.map(({delivery}) => delivery.id);
	const delivered = (delivery: Delivery): Delivery => ({
		...delivery,
		status: 'delivered',
		attempts: 1,
		nextAttemptAt: null,
		responseBody: 'ok',
	});

	test('nodes that lease concurrently never share a delivery, nor exceed four per endpoint together', async () => {
		const {one, other, user, endpoint} = await openTwo();
		const endpoints = [endpoint, ...Array.from({length: 9}, () => someEndpoint({userId: user.id}))];
		for (const each of endpoints.slice(1)) {
			await one.endpoints.create(each);
		}

		const rows = endpoints.flatMap(({id}) => Array.from({length: 20}, () => someDelivery(id)));
		await one.deliveries.put(rows);
		const endpointOfLeased = new Map<string, string>();
		const done: string[] = [];
		const work = async ({deliveries}: typeof one) => {
			while (done.length < rows.length) {
				const leased = await deliveries.lease(at(1), {...room, all: 8});
				for (const {delivery, endpoint} of leased) {
					expect([...endpointOfLeased.keys(), ...done]).not.toContain(delivery.id);
					endpointOfLeased.set(delivery.id, endpoint.id);
					expect([...endpointOfLeased.values()].filter(id => id === endpoint.id).length).toBeLessThanOrEqual(4);
				}

				await turn();
				await Promise.all(
					leased.map(async ({delivery}) => {
						// Removed first: after the write, others may be leased in its place.
						endpointOfLeased.delete(delivery.id);
						expect(await deliveries.finish(delivered(delivery))).toBe(true);
						done.push(delivery.id);
					}),
				);
			}
		};
		await Promise.all([work(one), work(other)]);
		expect(done.toSorted()).toEqual(rows.map(({id}) => id).toSorted());
		expect((await one.deliveries.list(endpoint.id, {status: 'delivered'}, firstPage)).total).toBe(20);
		expect((await one.usage(user.id)).deliveries).toBe(0);
	});

	test('after a lease has expired its node cannot store an outcome, and another node gets the delivery', async () => {
		const {one, other, endpoint, endLeases} = await openTwo();
		const delivery = someDelivery(endpoint.id);
		await one.deliveries.put([delivery]);
		expect(idsOf(await one.deliveries.lease(at(1), room))).toEqual([delivery.id]);
		expect(await other.deliveries.leaseOne(delivery.id)).toBe('busy');
		expect(await other.deliveries.lease(at(1), room)).toEqual([]);
		await endLeases();
		expect(await one.deliveries.finish(delivered(delivery))).toBe(false);
		expect(idsOf([(await other.deliveries.leaseOne(delivery.id)) as Due])).toEqual([delivery.id]);
		expect(await one.deliveries.finish(delivered(delivery))).toBe(false);
		await one.deliveries.release(delivery.id);
		expect(await other.deliveries.finish(delivered(delivery))).toBe(true);
		expect(await one.deliveries.get(delivery.id)).toEqual(delivered(delivery));
	});

	test('other nodes find the deliveries that a crashed node had leased', async () => {
		const {one, other, endpoint, endLeases} = await openTwo();
		const [due, resent] = [someDelivery(endpoint.id), someDelivery(endpoint.id, {isTest: true, nextAttemptAt: null})];
		await one.deliveries.put([due, resent]);
		await one.deliveries.lease(at(1), room);
		await one.deliveries.leaseOne(resent.id);
		expect(await other.deliveries.leaseInterrupted()).toEqual([]);
		await endLeases();
		expect(await other.deliveries.leaseInterrupted()).toEqual([resent]);
		await expect.poll(async () => idsOf(await other.deliveries.lease(at(1), room))).toEqual([due.id]);
	});

	test('a delivery whose resending a crash interrupted returns to the log', async () => {
		const {one, other, endpoint, sql, endLeases} = await openTwo();
		const dead = someDelivery(endpoint.id, {status: 'dead', nextAttemptAt: null, attempts: 3});
		await one.deliveries.put([dead]);
		await one.deliveries.leaseOne(dead.id);
		await endLeases();
		expect(await other.deliveries.leaseInterrupted()).toEqual([]);
		expect(await sql`select id from tinbox.finished_deliveries`).toEqual([{id: dead.id}]);
		expect(await one.deliveries.get(dead.id)).toEqual(dead);
	});

	test('a long body shared by several deliveries is stored once and deleted with the last one', async () => {
		const {one, endpoint, sql} = await openTwo();
		const body = `{"text":"${'ü\ue000'.repeat(800)}"}`;
		const rows = [someDelivery(endpoint.id, {body}), someDelivery(endpoint.id, {body}), someDelivery(endpoint.id)];
		await one.deliveries.put(rows);
		expect(await sql`select uses from tinbox.bodies`).toEqual([{uses: 2}]);
		const [first] = rows as [Delivery, Delivery, Delivery];
		expect(await one.deliveries.get(first.id)).toEqual(first);
		await one.deliveries.leaseOne(first.id);
		await one.deliveries.finish(delivered(first));
		expect(await one.deliveries.get(first.id)).toEqual(delivered(first));
		await one.deliveries.prune(endpoint.id, {keep: 0, since: noon, responseLength: 0});
		expect(await sql`select uses from tinbox.bodies`).toEqual([{uses: 1}]);
		await one.endpoints.delete(endpoint.id);
		expect(await sql`select uses from tinbox.bodies`).toEqual([]);
		expect(await sql`select id from tinbox.deliveries`).toEqual([]);
	});

	test('old partitions of the log are dropped, and the counters of their users follow', async () => {
		const {url, one, user, endpoint, sql} = await openTwo();
		await one.deliveries.put([delivered(someDelivery(endpoint.id)), delivered(someDelivery(endpoint.id))]);
		await sql`
			create table tinbox.finished_deliveries_20260501 partition of tinbox.finished_deliveries
			for values from ('2026-05-01') to ('2026-05-02')
		`;
		await sql`
			update tinbox.finished_deliveries set day = '2026-05-01'
			where id = (select min(id) from tinbox.finished_deliveries)
		`;
		const later = await openNode(url);
		await later.deliveries.prune(endpoint.id, {keep: 100, since: '2026-05-02T00:00:00.000Z', responseLength: 100});
		expect((await later.deliveries.list(endpoint.id, {}, firstPage)).total).toBe(1);
		expect(await sql`select to_regclass('tinbox.finished_deliveries_20260501') as name`).toEqual([{name: null}]);
		await expect
			.poll(async () => sql`select finished from tinbox.users where id = ${user.id}`)
			.toEqual([{finished: '1'}]);
	});

	test('trimming the log of a user deletes the first finished deliveries and no pending ones', async () => {
		const {one, user, endpoint} = await openTwo();
		const rows = Array.from({length: 6}, () => someDelivery(endpoint.id));
		await one.deliveries.put(rows);
		const [a, b, c, d] = rows as [Delivery, Delivery, Delivery, Delivery];
		for (const each of [d, b, a]) {
			await one.deliveries.leaseOne(each.id);
			await one.deliveries.finish(delivered(each));
		}

		await one.deliveries.trim(user.id, 2);
		expect(await one.deliveries.get(d.id)).toBeUndefined();
		expect(await one.deliveries.get(b.id)).toEqual(delivered(b));
		expect(await one.deliveries.get(c.id)).toEqual(c);
		expect((await one.usage(user.id)).deliveries).toBe(3);
	});
});
