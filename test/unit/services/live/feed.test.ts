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

class Counter implements Waiter {
	rung = 0;

	wake(): void {
		this.rung++;
	}
}

function listening(feed: Feed, ...topicNames: string[]): Counter {
	const bell = new Counter();
	feed.listen(topicNames, bell);
	return bell;
}

test('an item rings those who listen for its inbox or for everything, and nobody else', () => {
	const feed = new Feed(new EventsInMemory());
	const [one, two, all] = [listening(feed, 'a'), listening(feed, 'a', 'u1'), listening(feed, topics.everything)];
	const [other, deliveries] = [listening(feed, 'b'), listening(feed, topics.deliveries)];
	void feed.publish([received('1'), received('2')]);
	expect([one, two, all, other, deliveries].map(({rung}) => rung)).toEqual([1, 1, 1, 0, 0]);
	void feed.publish([{type: 'delivery.changed', deliveryId: 'd', endpointId: 'e'}]);
	expect([other.rung, deliveries.rung]).toEqual([0, 1]);
});

test('a change of scope rings the users whom it concerns', () => {
	const feed = new Feed(new EventsInMemory());
	const [ann, bob] = [listening(feed, 'a', 'ann'), listening(feed, 'a', 'bob')];
	void feed.publish([{type: 'scope', userIds: ['ann', 'ann']}]);
	expect([ann.rung, bob.rung]).toEqual([1, 0]);
});

test('all are rung when nobody knows whom it concerns, once also those that listen again at once', () => {
	const feed = new Feed(new EventsInMemory());
	const [one, other] = [listening(feed, 'a'), listening(feed, 'b', 'u1')];
	let rung = 0;
	const bell = {
		wake() {
			rung++;
			feed.listen(['c'], bell);
		},
	};
	bell.wake();
	expect(feed.size).toBe(4);
	feed.wake();
	expect([one.rung, other.rung, rung]).toEqual([1, 2, 2]);
	expect(feed.size).toBe(1);
});

test('a bell is rung once, and not at all when it was taken off', () => {
	const feed = new Feed(new EventsInMemory());
	const bell = listening(feed, 'a');
	const gone = new Counter();
	feed.listen(['a', 'u1'], gone)();
	void feed.publish([received('1')]);
	void feed.publish([received('2')]);
	expect([bell.rung, gone.rung]).toEqual([1, 0]);
	expect([feed.waiting('a'), feed.waiting('u1')]).toEqual([0, 0]);
});

test('many are rung a few at a time, save those that leave, and those that come later wait on', async () => {
	const feed = new Feed(new EventsInMemory());
	const leaving = new Counter();
	const late = new Counter();
	let leave = () => {};
	feed.listen(['a'], {
		wake() {
			leave();
			feed.listen(['a'], late);
		},
	});
	const many = Array.from({length: 1000}, () => listening(feed, 'a'));
	leave = feed.listen(['a'], leaving);
	const other = listening(feed, 'b');
	void feed.publish([received('1')]);
	expect(many.filter(({rung}) => rung > 0).length).toBeLessThan(10);
	void feed.publish([received('2', 'b')]);
	expect(other.rung).toBe(1);
	await vi.waitFor(() => expect(many.every(({rung}) => rung === 1)).toBe(true));
	expect([leaving.rung, late.rung, feed.waiting('a')]).toEqual([0, 0, 1]);
});

test('whoever listens, looks and sleeps by turns misses nothing and meets everything in order', async () => {
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
