import fc from 'fast-check';
import {expect, test, vi} from 'vitest';
import {Alarm} from '../../../src/lib/alarm.js';
import type {Bell} from '../../../src/services/live/bells.js';
import {Feed, type FeedItem, topics} from '../../../src/services/live/feed.js';

function received(messageId: string, inboxId = 'a'): FeedItem {
	return {type: 'message.received', messageId, inbox: {id: inboxId, ownerId: 'u1', teamId: null}};
}

const some = (count: number) => Array.from({length: count}, (_, index) => received(String(index)));

class Counter implements Bell {
	rung = 0;

	ring(): void {
		this.rung++;
	}
}

function listening(feed: Feed, ...topicNames: string[]): Counter {
	const bell = new Counter();
	feed.listen(topicNames, bell);
	return bell;
}

test('what came after a cursor is read in order', () => {
	const feed = new Feed();
	feed.publish([received('1')]);
	const cursor = feed.end;
	expect(feed.read(cursor)?.items).toEqual([]);
	feed.publish([received('2'), received('3')]);
	feed.publish([received('4')]);
	const reading = feed.read(cursor);
	expect(reading?.items).toEqual([received('2'), received('3'), received('4')]);
	expect(reading?.cursorAfter(0)).toBe(cursor);
	expect(feed.read(reading?.cursorAfter(2) ?? '')?.items).toEqual([received('4')]);
	expect(reading?.cursorAfter(3)).toBe(feed.end);
});

test('the latest items are kept, also while nobody reads; behind them something is missing', () => {
	const feed = new Feed(10);
	const start = feed.end;
	feed.publish(some(9));
	expect(feed.read(start)?.items).toHaveLength(9);
	const ninth = feed.end;
	feed.publish(some(10));
	expect(feed.read(ninth)?.items).toHaveLength(10);
	feed.publish(some(1000));
	expect(feed.read(start)).toBeUndefined();
	expect(feed.read(ninth)).toBeUndefined();
	expect(feed.read(feed.end)?.items).toEqual([]);
});

test.each(['', 'x', ':1', '0:0', 'x:1:1'])(
	'%j is no cursor, nor is that of another run or of what is to come',
	cursor => {
		const feed = new Feed();
		const other = new Feed();
		other.publish(some(1));
		const behind = feed.read(feed.end)?.cursorAfter(1) ?? '';
		expect([cursor, other.end, behind, `${feed.end} `].map(one => feed.read(one))).toEqual(Array(4).fill(undefined));
	},
);

test('an item rings those who listen for its inbox or for everything, and nobody else', () => {
	const feed = new Feed();
	const [one, two, all] = [listening(feed, 'a'), listening(feed, 'a', 'u1'), listening(feed, topics.everything)];
	const [other, deliveries] = [listening(feed, 'b'), listening(feed, topics.deliveries)];
	feed.publish([received('1'), received('2')]);
	expect([one, two, all, other, deliveries].map(({rung}) => rung)).toEqual([1, 1, 1, 0, 0]);
	feed.publish([{type: 'delivery.changed', deliveryId: 'd', endpointId: 'e'}]);
	expect([other.rung, deliveries.rung]).toEqual([0, 1]);
});

test('a change of scope rings the users whom it concerns', () => {
	const feed = new Feed();
	const [ann, bob] = [listening(feed, 'a', 'ann'), listening(feed, 'a', 'bob')];
	feed.publish([{type: 'scope', userIds: ['ann', 'ann']}]);
	expect([ann.rung, bob.rung]).toEqual([1, 0]);
});

test('a bell is rung once, and not at all when it was taken off', () => {
	const feed = new Feed();
	const bell = listening(feed, 'a');
	const gone = new Counter();
	feed.listen(['a', 'u1'], gone)();
	feed.publish([received('1')]);
	feed.publish([received('2')]);
	expect([bell.rung, gone.rung]).toEqual([1, 0]);
	expect([feed.waiting('a'), feed.waiting('u1')]).toEqual([0, 0]);
});

test('many are rung a few at a time, save those that leave, and those that come later wait on', async () => {
	const feed = new Feed();
	const leaving = new Counter();
	const late = new Counter();
	let leave = () => {};
	feed.listen(['a'], {
		ring() {
			leave();
			feed.listen(['a'], late);
		},
	});
	const many = Array.from({length: 1000}, () => listening(feed, 'a'));
	leave = feed.listen(['a'], leaving);
	const other = listening(feed, 'b');
	feed.publish([received('1')]);
	expect(many.filter(({rung}) => rung > 0).length).toBeLessThan(10);
	feed.publish([received('2', 'b')]);
	expect(other.rung).toBe(1);
	await vi.waitFor(() => expect(many.every(({rung}) => rung === 1)).toBe(true));
	expect([leaving.rung, late.rung, feed.waiting('a')]).toEqual([0, 0, 1]);
});

test('whoever listens, looks and sleeps by turns misses nothing and meets everything in order', async () => {
	const step = fc.record({items: fc.integer({min: 0, max: 30}), pauses: fc.integer({min: 0, max: 3})});
	await fc.assert(
		fc.asyncProperty(fc.array(step, {maxLength: 20}), fc.integer({min: 1, max: 5}), async (steps, readers) => {
			const feed = new Feed();
			const count = steps.reduce((sum, {items}) => sum + items, 0);
			const start = feed.end;
			const reading = Array.from({length: readers}, () => readAll(feed, start, count));
			let next = 0;
			for (const {items, pauses} of steps) {
				feed.publish(Array.from({length: items}, () => received(String(next++))));
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

async function readAll(feed: Feed, start: string, count: number): Promise<readonly string[]> {
	const seen: string[] = [];
	const alarm = new Alarm();
	let cursor = start;
	while (seen.length < count) {
		const stopListening = feed.listen(['a'], alarm);
		const reading = feed.read(cursor);
		for (const item of reading?.items ?? []) {
			seen.push(item.type === 'message.received' ? item.messageId : item.type);
		}

		cursor = reading?.cursorAfter(reading.items.length) ?? cursor;
		await (seen.length < count && alarm.sleep(10_000));
		stopListening();
	}

	return seen;
}
