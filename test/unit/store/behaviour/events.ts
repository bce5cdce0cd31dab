import {describe, expect, test, vi} from 'vitest';
import {type FeedItem, hitTopic, topics} from '../../../../src/domain/feed.js';
import type {EventListener, Store} from '../../../../src/store/port.js';
import {someInbox, someMessage, stage} from '../rows.js';
import type {CreateHarness} from './harness.js';

const inbox = {id: 'i1', ownerId: 'owner', teamId: null};

function received(...ids: readonly string[]): readonly FeedItem[] {
	return ids.map(messageId => ({type: 'message.received', messageId, inbox}));
}

/** A listener with waiters for every topic, which records its wake-ups. */
class Notes implements EventListener {
	readonly rung: string[] = [];
	readonly size = 1;

	wake(topicNames: Iterable<string> = ['anything']): void {
		this.rung.push(...topicNames);
	}

	waiting(): number {
		return 1;
	}
}

async function soon(check: () => void | Promise<void>): Promise<void> {
	await vi.waitFor(check);
}

/** The events after the cursor, as soon as there are `count`. */
async function readAll({events}: Store, cursor: string, count: number): Promise<readonly FeedItem[]> {
	const items = async () => (await events.read(cursor, 1000))?.items ?? [];
	await soon(async () => expect(await items()).toHaveLength(count));
	return items();
}

export function describeEvents(create: CreateHarness): void {
	describe('events', () => {
		test('events after a cursor are read in order up to a limit', async () => {
			const {store} = await create();
			const {events} = store;
			const start = await events.end();
			const all: readonly FeedItem[] = [
				...received('1', '2'),
				{type: 'inbox.created', inbox},
				{type: 'delivery.changed', deliveryId: 'd', endpointId: 'e'},
				{type: 'faults.changed', inbox: null},
				{type: 'fault.hit', hitId: 'h', faultId: null, inbox: {...inbox, teamId: 'qa'}},
				{type: 'scope', userIds: ['ada', 'bob']},
			];
			await events.append(all.slice(0, 3));
			await events.append([]);
			await events.append(all.slice(3));
			expect(await readAll(store, start, all.length)).toEqual(all);
			expect(events.hasNews(start)).toBe(true);
			for (let [cursor, place] = [start, 0]; place < all.length; place += 2) {
				const reading = await events.read(cursor, 2);
				expect(reading?.items).toEqual(all.slice(place, place + 2));
				expect((await events.read(reading?.cursorAfter(1) ?? '', 1))?.items).toEqual(all.slice(place + 1, place + 2));
				cursor = reading?.cursorAfter(reading.items.length) ?? '';
			}
		});

		test('a cursor at the end has no news until the next event, which wakes its waiters', async () => {
			const {store} = await create();
			const {events} = store;
			const notes = new Notes();
			events.listen(notes);
			await events.append(received('1'));
			await soon(() => expect(notes.rung).toContain(topics.everything));
			let cursor = await events.end();
			await soon(async () => {
				cursor = (await events.read(cursor, 10))?.cursorAfter(0) ?? '';
				expect(events.hasNews(cursor)).toBe(false);
			});
			notes.rung.length = 0;
			await events.append(received('2'));
			await soon(() => expect(events.hasNews(cursor)).toBe(true));
			expect(notes.rung).toEqual(expect.arrayContaining([topics.everything, 'i1']));
			expect(await readAll(store, cursor, 1)).toEqual(received('2'));
		});

		test('events of inboxes, users, fault hits and deliveries each wake their waiters', async () => {
			const {store} = await create();
			const notes = new Notes();
			store.events.listen(notes);
			await store.events.append([
				{type: 'inbox.changed', inbox},
				{type: 'scope', userIds: ['ada', 'bob']},
				{type: 'fault.hit', hitId: 'h', faultId: null, inbox: {...inbox, id: 'i2'}},
				{type: 'faults.changed', inbox: null},
				{type: 'delivery.changed', deliveryId: 'd', endpointId: 'e'},
			]);
			const expected = [topics.everything, topics.deliveries, 'i1', 'ada', 'bob', hitTopic('i2'), hitTopic(null)];
			await soon(() => expect([...new Set(notes.rung)].sort()).toEqual([...expected].sort()));
		});

		test('a commit of mail publishes its events', async () => {
			const {store} = await create();
			const start = await store.events.end();
			const own = someInbox();
			await store.inboxes.create(own);
			const source = await stage(store, Buffer.from('Subject: x\r\n\r\nx\r\n'));
			const message = someMessage(own.id, source);
			const events: readonly FeedItem[] = [{type: 'message.received', messageId: message.id, inbox: own}];
			await store.messages.add({source, messages: [message], deliveries: [], events});
			expect(await readAll(store, start, 1)).toMatchObject([
				{type: 'message.received', messageId: message.id, inbox: {id: own.id, ownerId: own.ownerId, teamId: null}},
			]);
		});

		test('only a change of the scope of a user invalidates the cursor of the scope', async () => {
			const {store} = await create();
			const {events} = store;
			const start = await events.end();
			await events.append(received('1'));
			await events.append([...received('2'), {type: 'scope', userIds: ['ada', 'bob']}, ...received('3')]);
			await readAll(store, start, 4);
			expect(await events.isSameScope('eve', start)).toBe(true);
			expect(await events.isSameScope('ada', start)).toBe(false);
			expect(await events.isSameScope('bob', start)).toBe(false);
			expect(await events.isSameScope('bob', await events.end())).toBe(true);
		});

		test.each(['', 'x', ':1', '0:0', 'x:1:1', '\u0000', `${'9'.repeat(30)}:1`])(
			'%j is rejected as a cursor',
			async cursor => {
				const {events} = (await create()).store;
				expect(events.hasNews(cursor)).toBe(true);
				expect(await events.read(cursor, 10)).toBeUndefined();
				expect(await events.isSameScope('ada', cursor)).toBe(false);
			},
		);

		test('a cursor of another store or of the future is rejected', async () => {
			const [{store}, other] = [await create(), await create()];
			const {events} = store;
			await other.store.events.append(received('1'));
			const end = await events.end();
			const beyond = `${end.slice(0, end.lastIndexOf(':'))}:${'9'.repeat(15)}`;
			for (const cursor of [await other.store.events.end(), beyond, `${end} `]) {
				expect(await events.read(cursor, 10)).toBeUndefined();
				expect(await events.isSameScope('ada', cursor)).toBe(false);
			}
		});
	});
}
