import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type Inbox, type Retention, unlimitedRetention} from '../../../../src/domain/mail/inbox.js';
import type {Store} from '../../../../src/store/port.js';
import {at, noon, receive, someInbox, someMessage, stage} from '../rows.js';
import type {CreateHarness} from './harness.js';

const all = {page: 1, limit: 10_000};

export function describeRetention(create: CreateHarness): void {
	const createWith = async (fields: Partial<Inbox>, defaultRetention: Partial<Retention> = {}) => {
		const harness = await create({retention: {...unlimitedRetention, ...defaultRetention}});
		const inbox = someInbox(fields);
		await harness.store.inboxes.create(inbox);
		return {...harness, inbox};
	};

	describe('retention of inboxes', () => {
		test('an inbox with a limit keeps its newest messages, and others keep all', async () => {
			const {store, next, inbox} = await createWith({keep: 3});
			const other = someInbox();
			await store.inboxes.create(other);
			const ids = await receiveEach(store, inbox.id, 7);
			await receiveEach(store, other.id, 7);
			const after = await next();
			expect(await idsIn(after, inbox.id)).toEqual(ids.slice(-3));
			expect(await after.messages.count(inbox.id)).toBe(3);
			expect(await after.messages.evicted(inbox.id)).toBe(4);
			expect(await after.messages.get(ids[3] ?? '')).toBeUndefined();
			expect(await after.messages.count(other.id)).toBe(7);
			expect(await after.messages.evicted(other.id)).toBe(0);
		});

		test('an inbox returned by the store has no count of evicted messages', async () => {
			const {store, next, inbox} = await createWith({keep: 1});
			await receiveEach(store, inbox.id, 3);
			const {inboxes} = await next();
			const scope = {userId: inbox.ownerId, teamIds: []};
			expect(await inboxes.get(inbox.id)).toEqual(inbox);
			expect(await inboxes.byAddress(inbox.address)).toEqual(inbox);
			expect((await inboxes.list(scope, all, at(0))).rows).toEqual([inbox]);
			expect(await inboxes.update(inbox.id, {name: 'other'})).toEqual({...inbox, name: 'other'});
		});

		test('the limit of an inbox holds for concurrent mails and for mails of one commit', async () => {
			const {store, next, inbox} = await createWith({keep: 5});
			await Promise.all(Array.from({length: 40}, () => receive(store, inbox.id)));
			expect(await store.messages.count(inbox.id)).toBe(5);
			const source = await stage(store, Buffer.from('x'));
			const messages = Array.from({length: 9}, () => someMessage(inbox.id, source));
			await store.messages.add({source, messages, deliveries: []});
			const after = await next();
			expect(await idsIn(after, inbox.id)).toEqual(messages.slice(-5).map(({id}) => id));
			expect(await after.messages.evicted(inbox.id)).toBe(44);
		});

		test('deleted messages do not count for the limit of an inbox', async () => {
			const {store, next, inbox} = await createWith({keep: 4});
			const ids = await receiveEach(store, inbox.id, 4);
			await store.messages.delete(ids[2] ?? '');
			ids.splice(2, 1);
			ids.push(...(await receiveEach(store, inbox.id, 1)));
			expect(await idsIn(store, inbox.id)).toEqual(ids);
			ids.push(...(await receiveEach(store, inbox.id, 2)));
			const after = await next();
			expect(await idsIn(after, inbox.id)).toEqual(ids.slice(-4));
			expect(await after.messages.evicted(inbox.id)).toBe(2);
		});

		test('the default limit applies to inboxes without their own, and an inbox may keep all messages', async () => {
			const {store, next, inbox} = await createWith({}, {keep: 2});
			const [more, every] = [someInbox({keep: 4}), someInbox({keep: 0})];
			await store.inboxes.create(more);
			await store.inboxes.create(every);
			for (const {id} of [inbox, more, every]) {
				await receiveEach(store, id, 6);
			}

			const after = await next();
			const counts = await Promise.all([inbox, more, every].map(async ({id}) => after.messages.count(id)));
			expect(counts).toEqual([2, 4, 6]);
		});

		test('a lower limit evicts all messages beyond it, and a higher one evicts nothing', async () => {
			const {store, next, inbox} = await createWith({});
			const source = await stage(store, Buffer.from('x'));
			const messages = Array.from({length: 1300}, () => someMessage(inbox.id, source));
			await store.messages.add({source, messages, deliveries: []});
			expect(await store.messages.nextEviction()).toBeUndefined();
			await store.inboxes.update(inbox.id, {keep: 100});
			await evictAll(store, noon);
			const after = await next();
			expect(await idsIn(after, inbox.id)).toEqual(messages.slice(-100).map(({id}) => id));
			expect(await after.messages.evicted(inbox.id)).toBe(1200);
			await after.inboxes.update(inbox.id, {keep: 200});
			await after.inboxes.update(inbox.id, {keep: null});
			await evictAll(after, noon);
			expect(await after.messages.count(inbox.id)).toBe(100);
			await receiveEach(after, inbox.id, 1);
			expect(await after.messages.count(inbox.id)).toBe(101);
		});

		test('messages are evicted after the time that the inbox keeps them', async () => {
			const {store, next, inbox} = await createWith({keepForMs: 60_000});
			const ids = await receiveEach(store, inbox.id, 3);
			expect(await store.messages.nextEviction()).toBe(at(61));
			expect(await evictAll(store, at(60))).toEqual([]);
			await evictAll(store, at(61));
			const after = await next();
			expect(await idsIn(after, inbox.id)).toEqual(ids.slice(1));
			expect(await after.messages.evicted(inbox.id)).toBe(1);
			expect(await after.messages.nextEviction()).toBe(at(62));
			await evictAll(after, at(500));
			expect(await after.messages.count(inbox.id)).toBe(0);
			expect(await after.messages.nextEviction()).toBeUndefined();
		});

		test('the retention time has a default, and can be changed or unlimited', async () => {
			const {store, next, inbox} = await createWith({}, {keepForMs: 60_000});
			const longer = someInbox({keepForMs: 120_000});
			const ever = someInbox({keepForMs: 0});
			await store.inboxes.create(longer);
			await store.inboxes.create(ever);
			for (const {id} of [inbox, longer, ever]) {
				await receiveEach(store, id, 1);
			}

			const counts = async (now: Store) =>
				Promise.all([inbox, longer, ever].map(async ({id}) => now.messages.count(id)));
			await evictAll(store, at(90));
			expect(await counts(store)).toEqual([0, 1, 1]);
			const after = await next();
			await after.inboxes.update(longer.id, {keepForMs: 0});
			await evictAll(after, at(1000));
			expect(await counts(after)).toEqual([0, 1, 1]);
			await after.inboxes.update(ever.id, {keepForMs: null});
			await evictAll(after, at(1000));
			expect(await counts(after)).toEqual([0, 1, 0]);
		});

		test('evicted messages release their usage and are reported as deleted, very many with one event', async () => {
			const {store, inbox} = await createWith({keep: 1});
			const cursor = await store.events.end();
			const [first] = await receiveEach(store, inbox.id, 2);
			const {id, ownerId, teamId} = inbox;
			const fields = {inbox: {id, ownerId, teamId}, isEvicted: true};
			const deleted = {type: 'message.deleted', messageId: first, ...fields};
			await expect.poll(async () => itemsBehind(store, cursor)).toEqual([deleted]);
			await expect.poll(async () => (await store.usage('owner')).messages).toBe(1);
			const behind = await store.events.end();
			await store.inboxes.update(id, {keep: 0});
			await receiveEach(store, id, 99);
			await store.inboxes.update(id, {keep: 10});
			const news = await evictAll(store, noon);
			const items = async () => [...(await itemsBehind(store, behind)), ...news];
			await expect.poll(items).toEqual([{type: 'messages.deleted', ...fields}]);
		});

		test('after any changes, an inbox has its newest messages up to the limit', async () => {
			const {store} = await create();
			const steps = fc.array(
				fc.oneof(
					fc.record({mails: fc.integer({min: 1, max: 12})}),
					fc.record({deleted: fc.nat(20)}),
					fc.record({keep: fc.constantFrom(0, 1, 2, 3, 5, 8, null)}),
				),
				{minLength: 5, maxLength: 20},
			);
			const check = async (steps: ReadonlyArray<{mails?: number; deleted?: number; keep?: number | null}>) => {
				const inbox = someInbox({keep: 3});
				await store.inboxes.create(inbox);
				let [ids, keep, evicted]: [string[], number | null, number] = [[], 3, 0];
				for (const {mails = 0, deleted, keep: changed} of steps) {
					const coming = Array.from({length: mails}, async () => (await receive(store, inbox.id)).id);
					const come = new Set(await Promise.all(coming));
					if (deleted !== undefined) {
						await store.messages.delete(ids[deleted] ?? '');
						ids = ids.filter((_, index) => index !== deleted);
					}

					if (changed !== undefined) {
						keep = changed;
						await store.inboxes.update(inbox.id, {keep});
						await evictAll(store, noon);
					}

					const before = ids;
					ids = await idsIn(store, inbox.id);
					const kept = Math.min(before.length + mails, keep || Number.POSITIVE_INFINITY);
					expect(ids).toHaveLength(kept);
					const old = ids.filter(id => !come.has(id));
					expect(old).toEqual(before.slice(before.length - old.length));
					expect(old).toHaveLength(Math.max(0, kept - mails));
					evicted += before.length + mails - kept;
				}

				expect(await store.messages.evicted(inbox.id)).toBe(evicted);
			};
			await fc.assert(fc.asyncProperty(steps, check), {numRuns: 12});
		});

		test('bounces and sources are deleted with evicted messages', async () => {
			const {store, next, inbox} = await createWith({keep: 1});
			const source = await stage(store, Buffer.from('x'));
			const message = someMessage(inbox.id, source);
			await store.messages.add({source, messages: [message], deliveries: []});
			await receiveEach(store, inbox.id, 1);
			const after = await next();
			await expect.poll(async () => after.sources.read(source.id)).toBeUndefined();
		});
	});
}

/** Receives mails one second apart, from one second past noon. Resolves to their ids, oldest first. */
async function receiveEach(store: Store, inboxId: string, count: number): Promise<string[]> {
	const ids: string[] = [];
	for (let number = 1; number <= count; number++) {
		ids.push((await receive(store, inboxId, {receivedAt: at(number)})).id);
	}

	return ids;
}

/** Evicts all messages that are not kept at `now`, and resolves to the events. */
async function evictAll(store: Store, now: string) {
	const news = [];
	for (let next = await store.messages.nextEviction(); next !== undefined && next <= now; ) {
		news.push(...(await store.messages.evict(now)));
		next = await store.messages.nextEviction();
	}

	return news;
}

/** Ids of the messages of an inbox, oldest first. */
async function idsIn(store: Store, inboxId: string): Promise<string[]> {
	return (await store.messages.list(inboxId, {}, all)).map(({id}) => id).reverse();
}

async function itemsBehind(store: Store, cursor: string) {
	return (await store.events.read(cursor, 1000))?.items ?? [];
}
