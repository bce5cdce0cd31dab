import {describe, expect, test} from 'vitest';
import {
	readSource,
	receive,
	settle,
	someDelivery,
	someEndpoint,
	someInbox,
	someInvite,
	someKey,
	someTeam,
	someUser,
} from '../rows.js';
import type {CreateHarness} from './harness.js';

export function describeAccounts(create: CreateHarness): void {
	describe('users', () => {
		test('a user is found by id and, without case, by email; users are listed newest first', async () => {
			const {store, next} = await create();
			const ada = someUser({email: 'Ada@Example.com'});
			const bob = someUser();
			await store.users.create(ada);
			await store.users.create(bob);
			const {users} = await next();
			expect(await users.get(ada.id)).toEqual(ada);
			expect(await users.byEmail('ADA@example.COM')).toEqual(ada);
			expect(await users.list()).toEqual([bob, ada]);
			expect(await users.get('nobody')).toBeUndefined();
		});

		test('an email in any spelling belongs to one user, and a plus address of it may belong to another', async () => {
			const {store} = await create();
			const ada = someUser({email: 'ada@bücher.test'});
			await store.users.create(ada);
			for (const email of ['"ada"@bücher.test', 'ada@xn--bcher-kva.test', 'ADA@bücher.test.']) {
				await expect(store.users.create(someUser({email}))).rejects.toMatchObject({code: 'email_taken'});
				expect(await store.users.byEmail(email)).toEqual(ada);
			}

			await store.users.create(someUser({email: 'ada+test@bücher.test'}));
		});

		test('of concurrent users with the same email, one is created', async () => {
			const {store} = await create();
			const results = await Promise.allSettled(
				['a@example.com', 'A@example.com', 'a@EXAMPLE.com'].map(email => store.users.create(someUser({email}))),
			);
			expect(results.map(({status}) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
			expect(results[1]).toMatchObject({reason: {code: 'email_taken'}});
			expect(await store.users.list()).toHaveLength(1);
		});

		test('an update changes the given fields and returns the whole user', async () => {
			const {store, next} = await create();
			const ada = someUser();
			await store.users.create(ada);
			expect(await store.users.update(ada.id, {plan: 'free'})).toEqual({...ada, plan: 'free'});
			expect(await store.users.update('nobody', {plan: 'free'})).toBeUndefined();
			expect(await (await next()).users.get(ada.id)).toEqual({...ada, plan: 'free'});
		});

		test('deleting a user deletes all own rows and no others', async () => {
			const {store, next} = await create();
			const [ada, bob] = [someUser(), someUser()];
			await store.users.create(ada);
			await store.users.create(bob);
			const owned = someTeam(ada.id, {
				members: [
					{userId: ada.id, role: 'owner', joinedAt: ada.createdAt},
					{userId: bob.id, role: 'member', joinedAt: ada.createdAt},
				],
			});
			const joined = someTeam(bob.id, {
				members: [
					{userId: bob.id, role: 'owner', joinedAt: ada.createdAt},
					{userId: ada.id, role: 'admin', joinedAt: ada.createdAt},
				],
			});
			await store.teams.create(owned, 9);
			await store.teams.create(joined, 9);
			const invite = someInvite(owned.id);
			await store.teams.invite(invite, 9);
			const key = someKey(ada.id);
			await store.keys.create(key, 9);
			const own = someInbox({ownerId: ada.id, teamId: joined.id});
			const others = someInbox({ownerId: bob.id, teamId: owned.id});
			await store.inboxes.create(own);
			await store.inboxes.create(others);
			const lost = await receive(store, own.id);
			const remaining = await receive(store, others.id);
			const endpoint = someEndpoint({userId: ada.id});
			await store.endpoints.create(endpoint);
			const delivery = someDelivery(endpoint.id);
			await store.deliveries.put([delivery]);

			expect(await store.users.delete(ada.id)).toBe(true);
			expect(await store.users.delete(ada.id)).toBe(false);

			const after = await next();
			expect(await after.users.list()).toEqual([bob]);
			expect(await after.keys.byHash(key.hash)).toBeUndefined();
			expect(await after.teams.get(owned.id)).toBeUndefined();
			expect(await after.teams.inviteByHash(invite.tokenHash)).toBeUndefined();
			expect((await after.teams.get(joined.id))?.members).toEqual([
				{userId: bob.id, role: 'owner', joinedAt: ada.createdAt},
			]);
			expect(await after.inboxes.get(own.id)).toBeUndefined();
			expect(await after.inboxes.byAddress(own.address)).toBeUndefined();
			expect(await after.messages.get(lost.id)).toBeUndefined();
			expect(await readSource(after, lost.sourceId)).toBeUndefined();
			expect(await after.inboxes.get(others.id)).toEqual({...others, teamId: null});
			expect(await after.messages.get(remaining.id)).toEqual(remaining);
			expect(await after.endpoints.get(endpoint.id)).toBeUndefined();
			expect(await after.deliveries.get(delivery.id)).toBeUndefined();
		});
	});

	describe('keys', () => {
		test('a key is found by hash, listed newest first, and deleted only by its owner', async () => {
			const {store, next} = await create();
			await settle(store);
			const [first, second] = [someKey('ada'), someKey('ada')];
			await store.keys.create(first, 2);
			await store.keys.create(second, 2);
			expect(await store.keys.delete('bob', first.id)).toBe(false);
			expect(await (await next()).keys.list('ada')).toEqual([second, first]);
			const {keys} = await next();
			expect(await keys.delete('ada', first.id)).toBe(true);
			expect(await keys.delete('ada', first.id)).toBe(false);
			expect(await keys.byHash(first.hash)).toBeUndefined();
			expect(await keys.byHash(second.hash)).toEqual(second);
		});

		test('concurrent creates of keys do not exceed the limit', async () => {
			const {store} = await create();
			await settle(store);
			const results = await Promise.allSettled(Array.from({length: 5}, () => store.keys.create(someKey('ada'), 3)));
			expect(results.filter(({status}) => status === 'fulfilled')).toHaveLength(3);
			expect(results.at(-1)).toMatchObject({reason: {code: 'plan_limit'}});
			expect(await store.keys.list('ada')).toHaveLength(3);
		});

		test('recording the use of keys ignores deleted keys', async () => {
			const {store, next} = await create();
			await settle(store);
			const key = someKey('ada');
			await store.keys.create(key, 1);
			const lastUsedAt = '2026-05-04T13:00:00.000Z';
			await store.keys.touch(
				new Map([
					[key.id, lastUsedAt],
					['gone', lastUsedAt],
				]),
			);
			await store.keys.touch(new Map());
			expect(await (await next()).keys.list('ada')).toEqual([{...key, lastUsedAt}]);
		});
	});

	describe('rates', () => {
		const limit = {count: 2, windowMs: 60_000};

		test('a rate is limited per name in a sliding window', async () => {
			const {store, next} = await create();
			expect(await store.rates.take('ada', '2026-05-04T12:00:00.000Z', limit)).toBe(0);
			expect(await store.rates.take('ada', '2026-05-04T12:00:20.000Z', limit)).toBe(0);
			const {rates} = await next();
			expect(await rates.take('ada', '2026-05-04T12:00:30.000Z', limit)).toBe(30_000);
			expect(await rates.take('bob', '2026-05-04T12:00:30.000Z', limit)).toBe(0);
			expect(await rates.take('ada', '2026-05-04T12:01:00.000Z', limit)).toBe(0);
			expect(await rates.take('ada', '2026-05-04T12:01:00.000Z', limit)).toBe(20_000);
		});

		test('concurrent uses of a rate do not exceed its limit', async () => {
			const {store} = await create();
			const now = '2026-05-04T12:00:00.000Z';
			const waits = await Promise.all(Array.from({length: 5}, () => store.rates.take('ada', now, limit)));
			expect(waits).toEqual([0, 0, 60_000, 60_000, 60_000]);
		});
	});
}
