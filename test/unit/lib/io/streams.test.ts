import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {inBatches} from '../../../../src/lib/io/streams.js';

const upTo3 = (batch: readonly number[]) => batch.length < 3;

async function* numbers(count: number, end?: Error): AsyncGenerator<number> {
	for (let number = 1; number <= count; number++) {
		yield number;
	}

	if (end) {
		throw end;
	}
}

test('a batch contains the items received since the previous one, in order and up to its limit', async () => {
	const batches: (readonly number[])[] = [];
	for await (const batch of inBatches(numbers(10), upTo3)) {
		batches.push(batch);
		await turn();
	}

	expect(batches.flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
	expect(batches.slice(1, 3).map(({length}) => length)).toEqual([3, 3]);
});

test('a slow source yields a batch without waiting for more items', async () => {
	async function* slow() {
		yield 1;
		await new Promise(() => {});
	}

	const batches = inBatches(slow(), upTo3);
	expect((await batches.next()).value).toEqual([1]);
});

test('an error of the source is thrown after the items before it', async () => {
	const seen: number[] = [];
	const read = async () => {
		for await (const batch of inBatches(numbers(5, new Error('torn')), upTo3)) {
			seen.push(...batch);
		}
	};
	await expect(read()).rejects.toThrow('torn');
	expect(seen).toEqual([1, 2, 3, 4, 5]);
});

test('a consumer that breaks off ends the source', async () => {
	let isEnded = false;
	async function* watched() {
		try {
			yield* numbers(100);
		} finally {
			isEnded = true;
		}
	}

	for await (const batch of inBatches(watched(), upTo3)) {
		expect(batch.length).toBeLessThan(4);
		break;
	}

	await turn();
	expect(isEnded).toBe(true);
});
