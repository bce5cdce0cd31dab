import {expect, test} from 'vitest';
import {Feed, type Waiter} from '../../src/services/feed.js';

class Sleeper implements Waiter {
	woken = 0;

	wake(): void {
		this.woken++;
	}
}

test('a change wakes those who wait for the inbox, and nobody else', () => {
	const feed = new Feed();
	const [one, two, other] = [new Sleeper(), new Sleeper(), new Sleeper()];
	feed.add('a', one);
	feed.add('a', two);
	feed.add('b', other);
	feed.notify(['a', 'c']);
	expect([one.woken, two.woken, other.woken]).toEqual([1, 1, 0]);
});

test('a waiter is woken at each change until it is removed', () => {
	const feed = new Feed();
	const sleeper = new Sleeper();
	feed.add('a', sleeper);
	feed.notify(['a']);
	feed.notify(['a']);
	feed.remove('a', sleeper);
	feed.remove('a', sleeper);
	feed.notify(['a']);
	expect(sleeper.woken).toBe(2);
	expect(feed.waiting('a')).toBe(0);
});

test('a waiter may leave, and another one come, while all are being woken', () => {
	const feed = new Feed();
	const [leaving, staying, late] = [new Sleeper(), new Sleeper(), new Sleeper()];
	feed.add('a', {
		wake: () => {
			feed.remove('a', leaving);
			feed.add('a', late);
		},
	});
	feed.add('a', leaving);
	feed.add('a', staying);
	feed.notify(['a']);
	expect(staying.woken).toBe(1);
	expect(late.woken).toBe(0);
	expect(feed.waiting('a')).toBe(3);
});
