import {setImmediate as turn} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import type {Store} from '../../../src/store/store.js';
import {at, dueAmong, someDelivery, someEndpoint, someInbox, someMessage, stage} from '../rows.js';
import type {CreateHarness} from './harness.js';

const amount = 6000;
/** Fewer, since each takes a commit. */
const amountOfInboxes = 1000;
const ofOwner = {userId: 'owner', teamIds: []};
const ofTeam = {userId: 'ada', teamIds: ['qa']};
const onePage = {page: 1, limit: 9};

type Large = {
	readonly what: string;
	/** Makes rows of "owner" and the team "qa", and resolves to what deletes them. */
	make(store: Store): Promise<(store: Store) => Promise<unknown>>;
	/** How many rows are left. */
	left(store: Store): Promise<number>;
	/** Whether the store still tells of what was deleted. */
	isInSight(store: Store): Promise<boolean>;
};

const leftMessages: Pick<Large, 'left'> = {left: async store => (await store.usage('owner')).messages};
const leftDeliveries: Pick<Large, 'left'> = {left: async store => (await store.usage('owner')).deliveries};
const leftInboxes: Pick<Large, 'left'> = {left: async store => (await store.usage('owner')).inboxes};
const hasInboxes: Pick<Large, 'isInSight'> = {
	isInSight: async ({inboxes}) =>
		(await inboxes.list(ofOwner, onePage, at(1))).rows.length > 0 || (await inboxes.byClaim('large@b.test')).length > 0,
};
const hasEndpoints: Pick<Large, 'isInSight'> = {
	isInSight: async ({deliveries, endpoints}) => {
		const found = await Promise.all([
			endpoints.listOf('owner'),
			endpoints.subscribed(['owner'], 'message.received'),
			dueAmong(deliveries, at(9)),
		]);
		return found.some(rows => rows.length > 0);
	},
};

const madeAtOnce: readonly Large[] = [
	{
		what: 'an inbox',
		make: async store => {
			const {id} = await makeInbox(store);
			return async ({inboxes}) => inboxes.delete(id);
		},
		...leftMessages,
		...hasInboxes,
	},
	{
		what: 'an inbox whose time is over',
		make: async store => {
			await makeInbox(store, at(0));
			return async ({inboxes}) => inboxes.deleteExpired(at(1));
		},
		...leftMessages,
		...hasInboxes,
	},
	{
		what: 'the inbox of a user',
		make: async store => {
			await makeInbox(store);
			return async ({users}) => users.delete('owner');
		},
		...leftMessages,
		...hasInboxes,
	},
	{
		what: 'an endpoint',
		make: async store => {
			const [id = ''] = await makeEndpoints(store, 1);
			return async ({endpoints}) => endpoints.delete(id);
		},
		...leftDeliveries,
		...hasEndpoints,
	},
	{
		what: 'the endpoints of a user',
		make: async store => {
			await makeEndpoints(store, amount / 20);
			return async ({users}) => users.delete('owner');
		},
		...leftDeliveries,
		...hasEndpoints,
	},
];

const madeOneByOne: readonly Large[] = [
	{
		what: 'the inboxes of a user',
		make: async store => {
			await makeInboxes(store, null);
			return async ({users}) => users.delete('owner');
		},
		...leftInboxes,
		...hasInboxes,
	},
	{
		what: 'a team with many inboxes',
		make: async store => {
			await makeInboxes(store, 'qa');
			return async ({teams}) => teams.delete('qa');
		},
		left: async store => (await store.inboxes.list(ofTeam, onePage, at(1))).total,
		isInSight: async ({teams}) => (await teams.get('qa')) !== undefined || (await teams.listOf('owner')).length === 3,
	},
];

export function describeLarge(create: CreateHarness): void {
	describe('what is deleted with very much that belongs to it', () => {
		test.each([...madeAtOnce, ...madeOneByOne])(
			'goes bit by bit, out of sight from the first on: $what',
			async ({make, left, isInSight}) => {
				const {store, next} = await create();
				const remove = await make(store);
				const all = await left(store);
				expect(all).toBeGreaterThanOrEqual(amountOfInboxes);
				expect(await isInSight(store)).toBe(true);
				const seen: {readonly count: number; readonly isThere: boolean}[] = [];
				let isDone = false;
				const removing = remove(store).finally(() => {
					isDone = true;
				});
				while (!isDone) {
					seen.push({count: await left(store), isThere: await isInSight(store)});
					await turn();
				}

				expect(await removing).toBeTruthy();
				seen.push({count: await left(store), isThere: await isInSight(store)});
				const largest = Math.max(...seen.map(({count}, index) => (seen[index - 1]?.count ?? all) - count));
				expect(largest).toBeLessThan(all / 2);
				expect(seen.filter(({count, isThere}) => count < all && isThere)).toEqual([]);
				expect(seen.at(-1)?.count).toBe(0);
				const after = await next();
				expect(await left(after)).toBe(0);
				expect(await isInSight(after)).toBe(false);
			},
		);

		test.each(madeAtOnce)('goes as a whole when there is an end in between: $what', async ({make, left, isInSight}) => {
			const {store, next} = await create();
			const remove = await make(store);
			const all = await left(store);
			const removing = remove(store);
			while ((await left(store)) === all) {
				await turn();
			}

			const after = await next();
			await removing;
			expect(await left(after)).toBe(0);
			expect(await isInSight(after)).toBe(false);
		});
	});
}

async function makeInbox(store: Store, expiresAt: string | null = null) {
	const inbox = someInbox({address: 'large@b.test', expiresAt});
	await store.inboxes.create(inbox);
	const source = await stage(store, Buffer.from('Subject: hi\r\n\r\nhello\r\n'));
	const messages = Array.from({length: amount}, () => someMessage(inbox.id, source));
	await store.messages.add({source, messages, deliveries: []});
	return inbox;
}

async function makeInboxes(store: Store, teamId: string | null): Promise<void> {
	await store.inboxes.create(someInbox({address: 'large@b.test', teamId}));
	await Promise.all(Array.from({length: amountOfInboxes}, async () => store.inboxes.create(someInbox({teamId}))));
}

async function makeEndpoints(store: Store, count: number): Promise<readonly string[]> {
	const endpoints = Array.from({length: count}, () => someEndpoint());
	await Promise.all(endpoints.map(async endpoint => store.endpoints.create(endpoint)));
	const ids = endpoints.map(({id}) => id);
	await store.deliveries.put(Array.from({length: amount}, (_, index) => someDelivery(ids[index % count] ?? '')));
	return ids;
}
