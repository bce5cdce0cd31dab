import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {TimeSlicer, TurnBudget} from '../../../../src/lib/queue/event-loop.js';

const nextTurn = async () => new Promise(setImmediate);

/** Works of so many steps, which tell what was done. */
function works(pace: TurnBudget, cost: number) {
	const done: string[] = [];
	const add = (name: string, steps: number) => {
		let left = steps;
		pace.add(() => {
			done.push(name);
			left -= 1;
			return {cost, hasMore: left > 0};
		});
	};
	return {done, add};
}

test('does a little at once, and works step by step in turn', async () => {
	const {done, add} = works(new TurnBudget(2), 1);
	add('a', 4);
	expect(done).toEqual(['a', 'a']);
	add('b', 2);
	add('c', 1);
	expect(done).toEqual(['a', 'a']);
	await nextTurn();
	expect(done).toEqual(['a', 'a', 'a', 'b']);
	await nextTurn();
	expect(done).toEqual(['a', 'a', 'a', 'b', 'c', 'a']);
	await nextTurn();
	expect(done).toEqual(['a', 'a', 'a', 'b', 'c', 'a', 'b']);
});

test('ends a turn when its cost is reached, and begins anew with the next', async () => {
	const {done, add} = works(new TurnBudget(10), 7);
	add('a', 3);
	expect(done).toHaveLength(2);
	await nextTurn();
	expect(done).toHaveLength(3);
	await nextTurn();
	add('b', 1);
	expect(done).toHaveLength(4);
});

test('does what a step adds after that step, and at its cost', async () => {
	const pace = new TurnBudget(3);
	const done: string[] = [];
	const add = (name: string) => {
		pace.add(() => {
			done.push(`${name} begins`);
			if (name.length < 4) {
				add(`${name}a`);
			}

			done.push(`${name} ends`);
			return {cost: 1, hasMore: false};
		});
	};
	add('a');
	expect(done).toEqual(['a begins', 'a ends', 'aa begins', 'aa ends', 'aaa begins', 'aaa ends']);
	await nextTurn();
	expect(done.slice(6)).toEqual(['aaaa begins', 'aaaa ends']);
});

test('a step that need not wait is done without being added, and counts', async () => {
	const pace = new TurnBudget(2);
	const {done, add} = works(pace, 1);
	expect(pace.trySpend(1)).toBe(true);
	add('a', 2);
	expect(done).toEqual(['a']);
	expect(pace.trySpend(1), 'another one waits').toBe(false);
	await nextTurn();
	expect(done).toEqual(['a', 'a']);
	expect(pace.trySpend(1)).toBe(true);
	expect(pace.trySpend(1), 'the turn is over').toBe(false);
	await nextTurn();
	pace.add(() => {
		expect(pace.trySpend(1), 'within a step').toBe(false);
		return {cost: 1, hasMore: false};
	});
	expect(pace.trySpend(1)).toBe(true);
});

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
	const slices = new TimeSlicer();
	expect(await Promise.all([slices.run('a', work('a', 30, log)), slices.run('b', work('b', 3, log))])).toEqual([
		'a',
		'b',
	]);
	expect(log).toHaveLength(33);
});

test('all else has its turn after a slice, however much work of however many owners there is', async () => {
	const log: string[] = [];
	const slices = new TimeSlicer();
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
	const slices = new TimeSlicer();
	const many = Array.from({length: 10}, async () => slices.run('a', work('a', 10, log)));
	await slices.run('b', work('b', 1, log));
	expect(log.filter(name => name === 'a').length).toBeLessThanOrEqual(12);
	await Promise.all(many);
});

test('work that fails fails for its asker alone', async () => {
	const slices = new TimeSlicer();
	const failing: Iterator<unknown, never> = {
		next() {
			throw new Error('no');
		},
	};
	await expect(slices.run('a', failing)).rejects.toThrow('no');
	expect(await slices.run('a', work('a', 1, []))).toBe('a');
});
