import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {Slices} from '../../../src/lib/slices.js';

/** Work of so many steps, of which each takes a millisecond. */
function* work(name: string, steps: number, log: string[]): Generator<undefined, string> {
	for (let step = 0; step < steps; step++) {
		const end = performance.now() + 1;
		while (performance.now() < end) {
			// Works.
		}

		log.push(name);
		yield;
	}

	return name;
}

test('work comes to its end, and what it returns is given', async () => {
	const log: string[] = [];
	const slices = new Slices();
	expect(await Promise.all([slices.run('a', work('a', 30, log)), slices.run('b', work('b', 3, log))])).toEqual([
		'a',
		'b',
	]);
	expect(log).toHaveLength(33);
});

test('all else has its turn after a slice, however much work of however many owners there is', async () => {
	const log: string[] = [];
	const slices = new Slices();
	const all = Promise.all(
		Array.from({length: 20}, async (_, index) => slices.run(`owner ${index}`, work('step', 10, log))),
	);
	let before = 0;
	while (log.length < 200) {
		// A slice may be begun by one that ended early.
		expect(log.length - before).toBeLessThanOrEqual(12);
		before = log.length;
		await turn();
	}

	await all;
});

test('owners take turns', async () => {
	const log: string[] = [];
	const slices = new Slices();
	const many = Array.from({length: 10}, async () => slices.run('a', work('a', 10, log)));
	await slices.run('b', work('b', 1, log));
	expect(log.filter(name => name === 'a').length).toBeLessThanOrEqual(12);
	await Promise.all(many);
});

test('work that fails fails for its asker alone', async () => {
	const slices = new Slices();
	const failing: Iterator<unknown, never> = {
		next() {
			throw new Error('no');
		},
	};
	await expect(slices.run('a', failing)).rejects.toThrow('no');
	expect(await slices.run('a', work('a', 1, []))).toBe('a');
});
