import fc from 'fast-check';
import {describe, expect, test, vi} from 'vitest';
import {batched} from '../../../../src/store/postgres/session/batched.js';

/** Batches that stay open until the test resolves them. */
function openBatches() {
	const calls: {readonly keys: readonly number[]; answer(): void; fail(error: Error): void}[] = [];
	const call = batched<number, string>(
		async keys =>
			new Promise((resolve, reject) => {
				calls.push({keys, answer: () => resolve(keys.map(String)), fail: reject});
			}),
	);
	return {call, calls};
}

describe('batched', () => {
	test('calls of one turn of the event loop share a batch, and each gets its own value', async () => {
		const {call, calls} = openBatches();
		const answers = [3, 1, 3].map(call);
		await vi.waitFor(() => expect(calls).toHaveLength(1));
		expect(calls[0]?.keys).toEqual([3, 1, 3]);
		calls[0]?.answer();
		expect(await Promise.all(answers)).toEqual(['3', '1', '3']);
	});

	test('calls during two running batches share the next batch', async () => {
		const {call, calls} = openBatches();
		const first = call(1);
		await vi.waitFor(() => expect(calls).toHaveLength(1));
		const second = call(2);
		await vi.waitFor(() => expect(calls).toHaveLength(2));
		const third = [call(3)];
		await new Promise(setImmediate);
		third.push(call(4));
		await new Promise(setImmediate);
		expect(calls).toHaveLength(2);
		calls[1]?.answer();
		await vi.waitFor(() => expect(calls).toHaveLength(3));
		expect(calls[2]?.keys).toEqual([3, 4]);
		calls[2]?.answer();
		calls[0]?.answer();
		expect(await Promise.all([first, second, ...third])).toEqual(['1', '2', '3', '4']);
	});

	test('a failed batch rejects its calls and does not stop the next batch', async () => {
		const {call, calls} = openBatches();
		const answers = [call(1), call(2)];
		await vi.waitFor(() => expect(calls).toHaveLength(1));
		calls[0]?.fail(new Error('lost'));
		expect(await Promise.allSettled(answers)).toMatchObject([1, 2].map(() => ({reason: {message: 'lost'}})));
		const later = call(3);
		await vi.waitFor(() => expect(calls).toHaveLength(2));
		calls[1]?.answer();
		expect(await later).toBe('3');
	});

	test('every call gets its own value in any order of arrival', async () => {
		const turns = fc.array(fc.oneof(fc.constant('turn' as const), fc.nat(9)), {maxLength: 60});
		await fc.assert(
			fc.asyncProperty(turns, fc.array(fc.nat(3), {minLength: 1}), async (steps, delays) => {
				let maxConcurrent = 0;
				let underWay = 0;
				let count = 0;
				const call = batched<number, string>(async keys => {
					maxConcurrent = Math.max(maxConcurrent, ++underWay);
					for (let turn = delays[count++ % delays.length] ?? 0; turn > 0; turn--) {
						await new Promise(setImmediate);
					}

					underWay--;
					return keys.map(String);
				});
				const calls: {readonly key: number; readonly answer: Promise<string>}[] = [];
				for (const step of steps) {
					if (step === 'turn') {
						await new Promise(setImmediate);
					} else {
						calls.push({key: step, answer: call(step)});
					}
				}

				for (const {key, answer} of calls) {
					expect(await answer).toBe(String(key));
				}

				expect(maxConcurrent).toBeLessThanOrEqual(2);
			}),
		);
	});
});
