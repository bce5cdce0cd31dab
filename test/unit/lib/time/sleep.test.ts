import {expect, test} from 'vitest';
import {retry} from '../../../../src/lib/time/sleep.js';

const failing = (times: number) => {
	const calls = {made: 0};
	const work = async () => {
		if (++calls.made <= times) {
			throw new Error(`failure ${calls.made}`);
		}

		return 'done';
	};
	return {calls, work};
};

test('tries until it succeeds, and tells of each failure', async () => {
	const {work} = failing(3);
	const failures: unknown[] = [];
	expect(await retry(work, {minMs: 1, maxMs: 2, onFailure: error => failures.push(error)})).toBe('done');
	expect(failures.map(String)).toEqual(['Error: failure 1', 'Error: failure 2', 'Error: failure 3']);
});

test('gives up after the last try, with its error', async () => {
	const {calls, work} = failing(10);
	await expect(retry(work, {minMs: 1, maxMs: 1, maxTries: 4})).rejects.toThrow('failure 4');
	expect(calls.made).toBe(4);
});

test('a signal ends the waiting, after one more try', async () => {
	const {calls, work} = failing(10);
	const stop = new AbortController();
	const done = retry(work, {minMs: 60_000, maxMs: 60_000, signal: stop.signal, onFailure: () => stop.abort()});
	await expect(done).rejects.toThrow('failure 2');
	expect(calls.made).toBe(2);
});
