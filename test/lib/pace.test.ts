import {expect, test} from 'vitest';
import {Pace} from '../../src/lib/pace.js';

const nextTurn = async () => new Promise(setImmediate);

/** Works of so many steps, which tell what was done. */
function works(pace: Pace, cost: number) {
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
	const {done, add} = works(new Pace(2), 1);
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
	const {done, add} = works(new Pace(10), 7);
	add('a', 3);
	expect(done).toHaveLength(2);
	await nextTurn();
	expect(done).toHaveLength(3);
	await nextTurn();
	add('b', 1);
	expect(done).toHaveLength(4);
});
