import {describe, expect, test, vi} from 'vitest';
import type {FaultCount} from '../../../../src/domain/faults/fault.js';
import type {FaultStore} from '../../../../src/store/port.js';
import {at, someFault, someHit, someInbox, someUser} from '../rows.js';
import type {CreateHarness} from './harness.js';

const page = {page: 1, limit: 100};

/** Counts one use of a fault. Resolves to the count before it. */
async function count(
	faults: FaultStore,
	id: string,
	key: string | null,
	acts = false,
): Promise<FaultCount | undefined> {
	return faults.count(id, key, before => ({
		count: {seen: before.seen + 1, acted: before.acted + (acts ? 1 : 0), passedAt: [...before.passedAt, 1]},
		result: before,
	}));
}

export function describeFaults(create: CreateHarness): void {
	describe('faults', () => {
		test('faults of an inbox and of the daemon are listed oldest first and deleted', async () => {
			const {store, next} = await create();
			const inbox = someInbox();
			await store.inboxes.create(inbox);
			const [first, second, third] = [
				someFault({inboxId: inbox.id}),
				someFault({inboxId: inbox.id, stage: 'end'}),
				someFault({inboxId: inbox.id}),
			];
			const own = someFault({stage: 'connect'});
			for (const fault of [first, second, third, own]) {
				await store.faults.create(fault, 3);
			}

			const {faults} = await next();
			const counts = {seen: 0, acted: 0};
			expect(await faults.list(inbox.id)).toEqual([first, second, third].map(fault => ({fault, ...counts})));
			expect(await faults.list(null)).toEqual([{fault: own, ...counts}]);
			expect(await faults.get(own.id)).toEqual({fault: own, ...counts});
			await vi.waitFor(() => expect(faults.of(null)).toEqual([own]));
			expect(faults.of(inbox.id)).toEqual([first, second, third]);
			expect(faults.of(inbox.id)).toBe(faults.of(inbox.id));
			expect(['connect', 'rcpt', 'data', 'end'].map(stage => faults.mayAct(stage as 'end'))).toEqual([
				true,
				true,
				false,
				true,
			]);
			expect(await faults.delete(second.id)).toBe(true);
			expect(await faults.delete(second.id)).toBe(false);
			expect(faults.mayAct('end')).toBe(false);
			expect(await faults.deleteAll(inbox.id)).toBe(2);
			expect(await faults.deleteAll(inbox.id)).toBe(0);
			expect(await faults.list(inbox.id)).toEqual([]);
			expect(faults.of(inbox.id)).toEqual([]);
			expect(await faults.list(null)).toHaveLength(1);
		});

		test('concurrent creates of faults do not exceed the limit of an inbox or the daemon', async () => {
			const {store} = await create();
			const inbox = someInbox();
			await store.inboxes.create(inbox);
			for (const inboxId of [inbox.id, null]) {
				const created = await Promise.allSettled(
					Array.from({length: 5}, async () => store.faults.create(someFault({inboxId}), 3)),
				);
				const refused = created.flatMap(result => (result.status === 'rejected' ? [result.reason.code] : []));
				expect(refused).toEqual(['too_many_faults', 'too_many_faults']);
				expect(await store.faults.list(inboxId)).toHaveLength(3);
			}

			const lost = someFault({inboxId: 'no inbox'});
			await expect(store.faults.create(lost, 3)).rejects.toMatchObject({code: 'not_found'});
		});

		test('concurrent counts of a fault do not overlap, and add up to its total', async () => {
			const {store, next} = await create();
			const fault = someFault();
			await store.faults.create(fault, 100);
			const before = await Promise.all(
				Array.from({length: 20}, async (_, index) =>
					count(store.faults, fault.id, index % 2 ? 'odd' : 'even', index < 5),
				),
			);
			expect(before.map(count => count?.seen)).toEqual(Array.from({length: 20}, (_, index) => Math.floor(index / 2)));
			await store.faults.get(fault.id);
			const {faults} = await next();
			expect(await faults.get(fault.id)).toEqual({fault, seen: 20, acted: 5});
			expect(await count(faults, fault.id, 'even')).toMatchObject({seen: 10, acted: 3, passedAt: Array(10).fill(1)});
			expect(await count(faults, fault.id, 'other')).toEqual({seen: 0, acted: 0, passedAt: []});
			expect(await count(faults, 'no fault', null)).toBeUndefined();
		});

		test('a fault with a single count keeps that count', async () => {
			const {store, next} = await create();
			const fault = someFault();
			await store.faults.create(fault, 100);
			await count(store.faults, fault.id, null, true);
			await count(store.faults, fault.id, null);
			await store.faults.get(fault.id);
			const {faults} = await next();
			expect(await count(faults, fault.id, null)).toMatchObject({seen: 2, acted: 1, passedAt: [1, 1]});
			expect(await faults.get(fault.id)).toEqual({fault, seen: 3, acted: 1});
		});

		test('expired faults are deleted, the first expired first', async () => {
			const {store, next} = await create();
			const [first, second, endless] = [someFault({expiresAt: at(5)}), someFault({expiresAt: at(9)}), someFault()];
			for (const fault of [second, first, endless]) {
				await store.faults.create(fault, 100);
			}

			const {faults} = await next();
			expect(await faults.nextExpiry()).toBe(at(5));
			expect(await faults.deleteExpired(at(4))).toEqual([]);
			expect(await faults.deleteExpired(at(5))).toEqual([first]);
			expect(await faults.nextExpiry()).toBe(at(9));
			expect(await faults.deleteExpired(at(10))).toEqual([second]);
			expect(await faults.nextExpiry()).toBeUndefined();
			expect(faults.of(null)).toEqual([endless]);
		});

		test('the newest 10,000 keys of a fault are kept', async () => {
			const {store, next} = await create();
			const fault = someFault();
			await store.faults.create(fault, 100);
			for (let key = 0; key < 10_001; key++) {
				void count(store.faults, fault.id, String(key));
			}

			expect(await store.faults.get(fault.id)).toMatchObject({seen: 10_001});
			const {faults} = await next();
			expect(await count(faults, fault.id, '1')).toMatchObject({seen: 1});
			expect(await count(faults, fault.id, '0')).toMatchObject({seen: 0});
			expect(await faults.get(fault.id)).toMatchObject({seen: 10_003});
		});

		test('hits of a fault and of an inbox are listed newest first, and remain after the fault is deleted', async () => {
			const {store, next} = await create();
			const inbox = someInbox();
			await store.inboxes.create(inbox);
			const fault = someFault({inboxId: inbox.id});
			await store.faults.create(fault, 100);
			const hits = [
				someHit({inboxId: inbox.id, faultId: fault.id, messageId: 'm'}),
				someHit({inboxId: inbox.id}),
				someHit({inboxId: inbox.id, faultId: fault.id}),
				someHit(),
			];
			const [first, byAddress, third, own] = hits;
			for (const hit of hits) {
				expect(await store.faults.addHit(hit)).toBe(true);
			}

			const {faults} = await next();
			expect(await faults.hits({faultId: fault.id}, page)).toEqual({rows: [third, first], total: 2});
			expect(await faults.hits({inboxId: inbox.id}, {page: 2, limit: 2})).toEqual({rows: [first], total: 3});
			expect(await faults.hits({inboxId: null}, page)).toEqual({rows: [own], total: 1});
			expect(await faults.hit(byAddress?.id ?? '')).toEqual(byAddress);
			await faults.delete(fault.id);
			expect((await faults.hits({inboxId: inbox.id}, page)).total).toBe(3);
		});

		test('the newest 1,000 hits of an inbox are kept', async () => {
			const {store, next} = await create();
			const hits = Array.from({length: 1010}, () => someHit());
			await Promise.all(hits.map(async hit => store.faults.addHit(hit)));
			const {faults} = await next();
			const {rows, total} = await faults.hits({inboxId: null}, page);
			expect(total).toBe(1000);
			expect(rows[0]).toEqual(hits.at(-1));
			expect(await faults.hit(hits[9]?.id ?? '')).toBeUndefined();
			expect(await faults.hit(hits[10]?.id ?? '')).toEqual(hits[10]);
		});

		test('a fault created while its inbox is deleted is rejected or deleted with it', async () => {
			const {store, next} = await create();
			const inbox = someInbox();
			await store.inboxes.create(inbox);
			const late = someFault({inboxId: inbox.id});
			const [deleted, created] = await Promise.allSettled([
				store.inboxes.delete(inbox.id),
				store.faults.create(late, 100),
				store.faults.addHit(someHit({inboxId: inbox.id})),
			]);
			expect(deleted).toMatchObject({value: true});
			expect(created).toMatchObject({reason: {code: 'not_found'}});
			const {faults} = await next();
			expect(await faults.get(late.id)).toBeUndefined();
			await vi.waitFor(() => expect(faults.mayAct('rcpt')).toBe(false));
			expect((await faults.hits({inboxId: inbox.id}, page)).total).toBe(0);
		});

		test('faults, counts and hits are deleted with their inbox, also with its owner', async () => {
			const {store, next} = await create();
			const owner = someUser();
			await store.users.create(owner);
			const inboxes = [someInbox({ownerId: owner.id}), someInbox()];
			const faults = inboxes.map(({id}) => someFault({inboxId: id}));
			for (const [index, inbox] of inboxes.entries()) {
				const fault = faults[index] ?? someFault();
				await store.inboxes.create(inbox);
				await store.faults.create(fault, 100);
				await count(store.faults, fault.id, 'key');
				await store.faults.addHit(someHit({inboxId: inbox.id, faultId: fault.id}));
			}

			await store.users.delete(owner.id);
			await store.inboxes.delete(inboxes[1]?.id ?? '');
			const late = someHit({inboxId: inboxes[1]?.id ?? ''});
			expect(await store.faults.addHit(late)).toBe(false);
			const {faults: after} = await next();
			await vi.waitFor(() => expect(after.mayAct('rcpt')).toBe(false));
			for (const [index, inbox] of inboxes.entries()) {
				const {id = ''} = faults[index] ?? {};
				expect(await after.get(id)).toBeUndefined();
				expect(await count(after, id, 'key')).toBeUndefined();
				expect(await after.hits({inboxId: inbox.id}, page)).toEqual({rows: [], total: 0});
				expect(await after.hits({faultId: id}, page)).toEqual({rows: [], total: 0});
			}
		});
	});
}
