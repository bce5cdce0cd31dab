import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {TimeSlicer, TurnBudget} from '../../../../src/lib/queue/event-loop.js';

const nextTurn = async () => new Promise(setImmediate);

/** Adds tasks with a number of steps and logs each step. */
function logSteps(pace: TurnBudget, cost: number) {
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

test('a turn budget runs tasks at once up to its budget, then one step per task in turn', async () => {
	const {done, add} = logSteps(new TurnBudget(2), 1);
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

test('a turn budget ends a turn when its cost is spent and starts the next turn with a full budget', async () => {
	const {done, add} = logSteps(new TurnBudget(10), 7);
	add('a', 3);
	expect(done).toHaveLength(2);
	await nextTurn();
	expect(done).toHaveLength(3);
	await nextTurn();
	add('b', 1);
	expect(done).toHaveLength(4);
});

test('a task added by a step runs after that step and spends the same budget', async () => {
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

test('trySpend succeeds only if nothing waits and the budget of the turn remains', async () => {
	const pace = new TurnBudget(2);
	const {done, add} = logSteps(pace, 1);
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

/** A task whose steps take one millisecond each. */
function* work(name: string, steps: number, log: string[]): Generator<undefined, string> {
	for (let step = 0; step < steps; step++) {
		const end = performance.now() + 1;
		while (performance.now() < end) {
			// Busy.
		}

		log.push(name);
		yield;
	}

	return name;
}

test('a time slicer runs tasks to completion and resolves to their results', async () => {
	const log: string[] = [];
	const slices = new TimeSlicer();
	expect(await Promise.all([slices.run('a', work('a', 30, log)), slices.run('b', work('b', 3, log))])).toEqual([
		'a',
		'b',
	]);
	expect(log).toHaveLength(33);
});

test('the event loop gets a turn after each time slice, for any number of tasks and owners', async () => {
	const log: string[] = [];
	const slices = new TimeSlicer();
	const all = Promise.all(
		Array.from({length: 20}, async (_, index) => slices.run(`owner ${index}`, work('step', 10, log))),
	);
	let before = 0;
	while (log.length < 200) {
		// A task that ends early may start another slice.
		expect(log.length - before).toBeLessThanOrEqual(12);
		before = log.length;
		await turn();
	}

	await all;
});

test('owners take turns in a time slicer', async () => {
	const log: string[] = [];
	const slices = new TimeSlicer();
	const many = Array.from({length: 10}, async () => slices.run('a', work('a', 10, log)));
	await slices.run('b', work('b', 1, log));
	expect(log.filter(name => name === 'a').length).toBeLessThanOrEqual(12);
	await Promise.all(many);
});

test('a failed task rejects only its own call of a time slicer', async () => {
	const slices = new TimeSlicer();
	const failing: Iterator<unknown, never> = {
		next() {
			throw new Error('no');
		},
	};
	await expect(slices.run('a', failing)).rejects.toThrow('no');
	expect(await slices.run('a', work('a', 1, []))).toBe('a');
});
