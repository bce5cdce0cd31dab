import {setImmediate as turn} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import type {Store} from '../../../../src/store/port.js';
import {at, dueAmong, someDelivery, someEndpoint, someInbox, someMessage, stage} from '../rows.js';
import type {CreateHarness} from './harness.js';

/** Numbers of rows, at least three times the batch size of deletes. */
export type Amounts = {
	/** Number of messages, or of deliveries. */
	readonly rows: number;
	/** Number of rows that take one commit each. */
	readonly inboxes: number;
	readonly endpoints: number;
};

const ofOwner = {userId: 'owner', teamIds: []};
const ofTeam = {userId: 'ada', teamIds: ['qa']};
const onePage = {page: 1, limit: 9};

type Large = {
	readonly what: string;
	/** Creates rows of "owner" and the team "qa". Resolves to the function that deletes them. */
	make(store: Store, amounts: Amounts): Promise<(store: Store) => Promise<unknown>>;
	/** Number of remaining rows. */
	left(store: Store): Promise<number>;
	/** True if the deleted row is still visible. */
	isInSight(store: Store): Promise<boolean>;
};

const leftMessages: Pick<Large, 'left'> = {left: async store => (await store.usage('owner')).messages};
const leftDeliveries: Pick<Large, 'left'> = {left: async store => (await store.usage('owner')).deliveries};
const leftInboxes: Pick<Large, 'left'> = {left: async store => (await store.usage('owner')).inboxes};
const hasInboxes: Pick<Large, 'isInSight'> = {
	isInSight: async ({inboxes}) =>
		(await inboxes.list(ofOwner, onePage, at(1))).rows.length > 0 ||
		(await inboxes.byClaim('large@b.test')) !== undefined,
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
		make: async (store, {rows}) => {
			const {id} = await makeInbox(store, rows);
			return async ({inboxes}) => inboxes.delete(id);
		},
		...leftMessages,
		...hasInboxes,
	},
	{
		what: 'an expired inbox',
		make: async (store, {rows}) => {
			await makeInbox(store, rows, at(0));
			return async ({inboxes}) => inboxes.deleteExpired(at(1));
		},
		...leftMessages,
		...hasInboxes,
	},
	{
		what: 'the inbox of a user',
		make: async (store, {rows}) => {
			await makeInbox(store, rows);
			return async ({users}) => users.delete('owner');
		},
		...leftMessages,
		...hasInboxes,
	},
	{
		what: 'an endpoint',
		make: async (store, amounts) => {
			const [id = ''] = await makeEndpoints(store, {...amounts, endpoints: 1});
			return async ({endpoints}) => endpoints.delete(id);
		},
		...leftDeliveries,
		...hasEndpoints,
	},
	{
		what: 'the endpoints of a user',
		make: async (store, amounts) => {
			await makeEndpoints(store, amounts);
			return async ({users}) => users.delete('owner');
		},
		...leftDeliveries,
		...hasEndpoints,
	},
];

const madeOneByOne: readonly Large[] = [
	{
		what: 'the inboxes of a user',
		make: async (store, {inboxes}) => {
			await makeInboxes(store, inboxes, null);
			return async ({users}) => users.delete('owner');
		},
		...leftInboxes,
		...hasInboxes,
	},
	{
		what: 'a team with many inboxes',
		make: async (store, {inboxes}) => {
			await makeInboxes(store, inboxes, 'qa');
			return async ({teams}) => teams.delete('qa');
		},
		left: async store => (await store.inboxes.list(ofTeam, onePage, at(1))).total,
		isInSight: async ({teams}) => (await teams.get('qa')) !== undefined || (await teams.listOf('owner')).length === 3,
	},
];

export function describeLarge(create: CreateHarness, amounts: Amounts): void {
	describe('deletes of rows with very many dependent rows', () => {
		test.each([...madeAtOnce, ...madeOneByOne])(
			'the delete of $what hides all rows at once and removes them in small steps',
			async ({make, left, isInSight}) => {
				const {store, next, other = store, countSteps} = await create();
				const remove = await make(store, amounts);
				const largestStep = await countSteps?.();
				const all = await left(other);
				expect(all).toBeGreaterThanOrEqual(amounts.inboxes);
				expect(await isInSight(other)).toBe(true);
				let isDone = false;
				const removing = remove(store).finally(() => {
					isDone = true;
				});
				const untilDone = async <T>(look: () => Promise<T>): Promise<readonly T[]> => {
					const seen: T[] = [];
					while (!isDone) {
						seen.push(await look());
						await turn();
					}

					return [...seen, await look()];
				};
				const [counts, sights] = await Promise.all([
					untilDone(async () => left(other)),
					untilDone(async () => ({count: await left(other), isInstalled: await isInSight(other)})),
				]);
				expect(await removing).toBeTruthy();
				const steps = counts.map((count, index) => (counts[index - 1] ?? all) - count);
				expect((await largestStep?.()) ?? Math.max(...steps)).toBeLessThan(all / 2);
				expect(counts.at(-1)).toBe(0);
				expect(sights.filter(({count, isInstalled}) => count < all && isInstalled)).toEqual([]);
				const after = await next();
				expect(await left(after)).toBe(0);
				expect(await isInSight(after)).toBe(false);
			},
		);

		test.each(madeOneByOne)('of two concurrent deletes of $what, one succeeds', async ({make, left, isInSight}) => {
			const {store, next, other = store} = await create();
			const remove = await make(store, amounts);
			const removed = await Promise.all([remove(store), remove(other)]);
			expect(removed.toSorted()).toEqual([false, true]);
			const after = await next();
			expect(await left(after)).toBe(0);
			expect(await isInSight(after)).toBe(false);
		});
	});
}

export function describeInterrupted(create: CreateHarness, amounts: Amounts): void {
	describe('deletes of rows with very many dependent rows', () => {
		test.each(madeAtOnce)('a restart during the delete of $what completes it', async ({make, left, isInSight}) => {
			const {store, next} = await create();
			const remove = await make(store, amounts);
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

async function makeInbox(store: Store, amount: number, expiresAt: string | null = null) {
	const inbox = someInbox({address: 'large@b.test', expiresAt});
	await store.inboxes.create(inbox);
	const source = await stage(store, Buffer.from('Subject: hi\r\n\r\nhello\r\n'));
	const messages = Array.from({length: amount}, () => someMessage(inbox.id, source));
	await store.messages.add({source, messages, deliveries: []});
	return inbox;
}

async function makeInboxes(store: Store, amount: number, teamId: string | null): Promise<void> {
	await store.inboxes.create(someInbox({address: 'large@b.test', teamId}));
	await Promise.all(Array.from({length: amount}, async () => store.inboxes.create(someInbox({teamId}))));
}

async function makeEndpoints(store: Store, {rows, endpoints: count}: Amounts): Promise<readonly string[]> {
	const endpoints = Array.from({length: count}, () => someEndpoint());
	await Promise.all(endpoints.map(async endpoint => store.endpoints.create(endpoint)));
	const ids = endpoints.map(({id}) => id);
	await store.deliveries.put(Array.from({length: rows}, (_, index) => someDelivery(ids[index % count] ?? '')));
	return ids;
}
