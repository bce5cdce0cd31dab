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

test('retry repeats a task until it succeeds and reports each failure', async () => {
	const {work} = failing(3);
	const failures: unknown[] = [];
	expect(await retry(work, {minMs: 1, maxMs: 2, onFailure: error => failures.push(error)})).toBe('done');
	expect(failures.map(String)).toEqual(['Error: failure 1', 'Error: failure 2', 'Error: failure 3']);
});

test('retry rejects with the error of the last attempt after the maximum number of attempts', async () => {
	const {calls, work} = failing(10);
	await expect(retry(work, {minMs: 1, maxMs: 1, maxTries: 4})).rejects.toThrow('failure 4');
	expect(calls.made).toBe(4);
});

test('an aborted retry makes one more attempt without waiting', async () => {
	const {calls, work} = failing(10);
	const stop = new AbortController();
	const done = retry(work, {minMs: 60_000, maxMs: 60_000, signal: stop.signal, onFailure: () => stop.abort()});
	await expect(done).rejects.toThrow('failure 2');
	expect(calls.made).toBe(2);
});
