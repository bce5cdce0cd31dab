import fc from 'fast-check';
import {expect, test, vi} from 'vitest';
import {type FeedItem, topics} from '../../../../src/domain/feed.js';
import type {Waiter} from '../../../../src/lib/queue/notifier.js';
import {Timer} from '../../../../src/lib/time/timer.js';
import {Feed} from '../../../../src/services/live/feed.js';
import {EventsInMemory} from '../../../../src/store/json/nouns/events.js';

function received(messageId: string, inboxId = 'a'): FeedItem {
	return {type: 'message.received', messageId, inbox: {id: inboxId, ownerId: 'u1', teamId: null}};
}

class CountingWaiter implements Waiter {
	wakeUps = 0;

	wake(): void {
		this.wakeUps++;
	}
}

function addWaiter(feed: Feed, ...topicNames: string[]): CountingWaiter {
	const waiter = new CountingWaiter();
	feed.listen(topicNames, waiter);
	return waiter;
}

test('an item wakes waiters on its inbox or on everything, and no others', () => {
	const feed = new Feed(new EventsInMemory());
	const [one, two, all] = [addWaiter(feed, 'a'), addWaiter(feed, 'a', 'u1'), addWaiter(feed, topics.everything)];
	const [other, deliveries] = [addWaiter(feed, 'b'), addWaiter(feed, topics.deliveries)];
	void feed.publish([received('1'), received('2')]);
	expect([one, two, all, other, deliveries].map(({wakeUps}) => wakeUps)).toEqual([1, 1, 1, 0, 0]);
	void feed.publish([{type: 'delivery.changed', deliveryId: 'd', endpointId: 'e'}]);
	expect([other.wakeUps, deliveries.wakeUps]).toEqual([0, 1]);
});

test('a scope change wakes only the users that it concerns', () => {
	const feed = new Feed(new EventsInMemory());
	const [ann, bob] = [addWaiter(feed, 'a', 'ann'), addWaiter(feed, 'a', 'bob')];
	void feed.publish([{type: 'scope', userIds: ['ann', 'ann']}]);
	expect([ann.wakeUps, bob.wakeUps]).toEqual([1, 0]);
});

test('waking all waiters wakes each once, including a waiter that listens again immediately', () => {
	const feed = new Feed(new EventsInMemory());
	const [one, other] = [addWaiter(feed, 'a'), addWaiter(feed, 'b', 'u1')];
	let wakeUps = 0;
	const waiter = {
		wake() {
			wakeUps++;
			feed.listen(['c'], waiter);
		},
	};
	waiter.wake();
	expect(feed.size).toBe(4);
	feed.wake();
	expect([one.wakeUps, other.wakeUps, wakeUps]).toEqual([1, 2, 2]);
	expect(feed.size).toBe(1);
});

test('a waiter is woken once, and not at all after it was removed', () => {
	const feed = new Feed(new EventsInMemory());
	const waiter = addWaiter(feed, 'a');
	const removed = new CountingWaiter();
	feed.listen(['a', 'u1'], removed)();
	void feed.publish([received('1')]);
	void feed.publish([received('2')]);
	expect([waiter.wakeUps, removed.wakeUps]).toEqual([1, 0]);
	expect([feed.waiting('a'), feed.waiting('u1')]).toEqual([0, 0]);
});

test('many waiters are woken a few at a time, without removed and later ones', async () => {
	const feed = new Feed(new EventsInMemory());
	const leaving = new CountingWaiter();
	const late = new CountingWaiter();
	let leave = () => {};
	feed.listen(['a'], {
		wake() {
			leave();
			feed.listen(['a'], late);
		},
	});
	const many = Array.from({length: 1000}, () => addWaiter(feed, 'a'));
	leave = feed.listen(['a'], leaving);
	const other = addWaiter(feed, 'b');
	void feed.publish([received('1')]);
	expect(many.filter(({wakeUps}) => wakeUps > 0).length).toBeLessThan(10);
	void feed.publish([received('2', 'b')]);
	expect(other.wakeUps).toBe(1);
	await vi.waitFor(() => expect(many.every(({wakeUps}) => wakeUps === 1)).toBe(true));
	expect([leaving.wakeUps, late.wakeUps, feed.waiting('a')]).toEqual([0, 0, 1]);
});

test('a reader that alternates between waiting and reading gets every item in order', async () => {
	const step = fc.record({items: fc.integer({min: 0, max: 30}), pauses: fc.integer({min: 0, max: 3})});
	await fc.assert(
		fc.asyncProperty(fc.array(step, {maxLength: 20}), fc.integer({min: 1, max: 5}), async (steps, readers) => {
			const events = new EventsInMemory();
			const feed = new Feed(events);
			const count = steps.reduce((sum, {items}) => sum + items, 0);
			const start = await events.end();
			const reading = Array.from({length: readers}, () => readAll(feed, events, start, count));
			let next = 0;
			for (const {items, pauses} of steps) {
				void feed.publish(Array.from({length: items}, () => received(String(next++))));
				for (let pause = 0; pause < pauses; pause++) {
					await new Promise(setImmediate);
				}
			}

			const expected = Array.from({length: count}, (_, index) => String(index));
			expect(await Promise.all(reading)).toEqual(Array(readers).fill(expected));
		}),
		{numRuns: 100},
	);
});

async function readAll(feed: Feed, events: EventsInMemory, start: string, count: number): Promise<readonly string[]> {
	const seen: string[] = [];
	const timer = new Timer();
	let cursor = start;
	while (seen.length < count) {
		const stopListening = feed.listen(['a'], timer);
		const reading = await events.read(cursor, 1000);
		for (const item of reading?.items ?? []) {
			seen.push(item.type === 'message.received' ? item.messageId : item.type);
		}

		cursor = reading?.cursorAfter(reading.items.length) ?? cursor;
		await (seen.length < count && timer.sleep(10_000));
		stopListening();
	}

	return seen;
}
