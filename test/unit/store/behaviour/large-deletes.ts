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
	readonly title: string;
	/** Creates rows of "owner" and the team "qa". Resolves to the function that deletes them. */
	make(store: Store, amounts: Amounts): Promise<(store: Store) => Promise<unknown>>;
	/** Number of remaining rows. */
	remaining(store: Store): Promise<number>;
	/** True if the deleted row is still visible. */
	isVisible(store: Store): Promise<boolean>;
};

const remainingMessages: Pick<Large, 'remaining'> = {remaining: async store => (await store.usage('owner')).messages};
const remainingDeliveries: Pick<Large, 'remaining'> = {
	remaining: async store => (await store.usage('owner')).deliveries,
};
const remainingInboxes: Pick<Large, 'remaining'> = {remaining: async store => (await store.usage('owner')).inboxes};
const hasInboxes: Pick<Large, 'isVisible'> = {
	isVisible: async ({inboxes}) =>
		(await inboxes.list(ofOwner, onePage, at(1))).rows.length > 0 ||
		(await inboxes.byAddress('large@b.test')) !== undefined,
};
const hasEndpoints: Pick<Large, 'isVisible'> = {
	isVisible: async ({deliveries, endpoints}) => {
		const found = await Promise.all([
			endpoints.listOf('owner'),
			endpoints.subscribed(['owner'], 'message.received'),
			dueAmong(deliveries, at(9)),
		]);
		return found.some(rows => rows.length > 0);
	},
};

const bulkRows: readonly Large[] = [
	{
		title: 'an inbox',
		make: async (store, {rows}) => {
			const {id} = await makeInbox(store, rows);
			return async ({inboxes}) => inboxes.delete(id);
		},
		...remainingMessages,
		...hasInboxes,
	},
	{
		title: 'an expired inbox',
		make: async (store, {rows}) => {
			await makeInbox(store, rows, at(0));
			return async ({inboxes}) => inboxes.deleteExpired(at(1));
		},
		...remainingMessages,
		...hasInboxes,
	},
	{
		title: 'the inbox of a user',
		make: async (store, {rows}) => {
			await makeInbox(store, rows);
			return async ({users}) => users.delete('owner');
		},
		...remainingMessages,
		...hasInboxes,
	},
	{
		title: 'an endpoint',
		make: async (store, amounts) => {
			const [id = ''] = await makeEndpoints(store, {...amounts, endpoints: 1});
			return async ({endpoints}) => endpoints.delete(id);
		},
		...remainingDeliveries,
		...hasEndpoints,
	},
	{
		title: 'the endpoints of a user',
		make: async (store, amounts) => {
			await makeEndpoints(store, amounts);
			return async ({users}) => users.delete('owner');
		},
		...remainingDeliveries,
		...hasEndpoints,
	},
];

const rowsWithCommits: readonly Large[] = [
	{
		title: 'the inboxes of a user',
		make: async (store, {inboxes}) => {
			await makeInboxes(store, inboxes, null);
			return async ({users}) => users.delete('owner');
		},
		...remainingInboxes,
		...hasInboxes,
	},
	{
		title: 'a team with many inboxes',
		make: async (store, {inboxes}) => {
			await makeInboxes(store, inboxes, 'qa');
			return async ({teams}) => teams.delete('qa');
		},
		remaining: async store => (await store.inboxes.list(ofTeam, onePage, at(1))).total,
		isVisible: async ({teams}) => (await teams.get('qa')) !== undefined || (await teams.listOf('owner')).length === 3,
	},
];

export function describeLarge(create: CreateHarness, amounts: Amounts): void {
	describe('deletes of rows with very many dependent rows', () => {
		test.each([...bulkRows, ...rowsWithCommits])(
			'the delete of $title hides all rows immediately and removes them in batches',
			async ({make, remaining, isVisible}) => {
				const {store, next, other = store, countSteps} = await create();
				const remove = await make(store, amounts);
				const largestStep = await countSteps?.();
				const all = await remaining(other);
				expect(all).toBeGreaterThanOrEqual(amounts.inboxes);
				expect(await isVisible(other)).toBe(true);
				let isDone = false;
				const removing = remove(store).finally(() => {
					isDone = true;
				});
				const untilDone = async <T>(sample: () => Promise<T>): Promise<readonly T[]> => {
					const seen: T[] = [];
					while (!isDone) {
						seen.push(await sample());
						await turn();
					}

					return [...seen, await sample()];
				};
				const [counts, samples] = await Promise.all([
					untilDone(async () => remaining(other)),
					untilDone(async () => ({count: await remaining(other), isVisible: await isVisible(other)})),
				]);
				expect(await removing).toBeTruthy();
				const steps = counts.map((count, index) => (counts[index - 1] ?? all) - count);
				expect((await largestStep?.()) ?? Math.max(...steps)).toBeLessThan(all / 2);
				expect(counts.at(-1)).toBe(0);
				expect(samples.filter(({count, isVisible}) => count < all && isVisible)).toEqual([]);
				const after = await next();
				expect(await remaining(after)).toBe(0);
				expect(await isVisible(after)).toBe(false);
			},
		);

		test.each(rowsWithCommits)(
			'of two concurrent deletes of $title, one succeeds',
			async ({make, remaining, isVisible}) => {
				const {store, next, other = store} = await create();
				const remove = await make(store, amounts);
				const removed = await Promise.all([remove(store), remove(other)]);
				expect(removed.toSorted()).toEqual([false, true]);
				const after = await next();
				expect(await remaining(after)).toBe(0);
				expect(await isVisible(after)).toBe(false);
			},
		);
	});
}

export function describeInterrupted(create: CreateHarness, amounts: Amounts): void {
	describe('deletes of rows with very many dependent rows', () => {
		test.each(bulkRows)('a restart during the delete of $title completes it', async ({make, remaining, isVisible}) => {
			const {store, next} = await create();
			const remove = await make(store, amounts);
			const all = await remaining(store);
			const removing = remove(store);
			while ((await remaining(store)) === all) {
				await turn();
			}

			const after = await next();
			await removing;
			expect(await remaining(after)).toBe(0);
			expect(await isVisible(after)).toBe(false);
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
