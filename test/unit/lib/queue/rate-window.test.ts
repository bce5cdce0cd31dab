import {expect, test} from 'vitest';
import {RateWindow} from '../../../../src/lib/queue/rate-window.js';

test('a rate window is full after its limit of events until the oldest one leaves it', () => {
	const window = new RateWindow({limit: 2, windowMs: 1000});
	expect([window.add('a', undefined, 0), window.add('a', undefined, 400)]).toEqual([0, 0]);
	expect([window.isFull('a', 999), window.isFull('b', 999)]).toEqual([true, false]);
	expect(window.isFull('a', 1000)).toBe(false);
});

test('an event that exceeds the limit of a rate window returns the time until the oldest event leaves it, and counts', () => {
	const window = new RateWindow({limit: 2, windowMs: 1000});
	window.add('a', undefined, 0);
	window.add('a', undefined, 400);
	expect(window.add('a', undefined, 500)).toBe(500);
	expect(window.isFull('a', 1399)).toBe(true);
	expect(window.isFull('a', 1400)).toBe(false);
});

test('a rate window returns the values of its events, oldest first', () => {
	const window = new RateWindow<string>({limit: 3, windowMs: 1000});
	window.add('a', 'old', 0);
	window.add('a', 'first', 500);
	window.add('a', 'second', 600);
	expect(window.values('a', 1200)).toEqual(['first', 'second']);
});

test('a rate window forgets the least recently counted key beyond its maximum', () => {
	const window = new RateWindow({limit: 1, windowMs: 1000, maxKeys: 2});
	for (const key of ['a', 'b', 'a', 'c']) {
		window.add(key, undefined, 0);
	}

	expect(['a', 'b', 'c'].map(key => window.isFull(key, 1))).toEqual([true, false, true]);
});

test('a clock that is set back does not keep a rate window full', () => {
	const window = new RateWindow({limit: 1, windowMs: 1000});
	window.add('a', undefined, 1_000_000);
	expect(window.isFull('a', 0)).toBe(false);
});
