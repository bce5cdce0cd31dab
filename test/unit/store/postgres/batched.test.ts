import fc from 'fast-check';
import {describe, expect, test, vi} from 'vitest';
import {batched} from '../../../../src/store/postgres/session/batched.js';

/** Batches that stay open until the test resolves them. */
function held() {
	const asked: {readonly keys: readonly number[]; answer(): void; fail(error: Error): void}[] = [];
	const ask = batched<number, string>(
		async keys =>
			new Promise((resolve, reject) => {
				asked.push({keys, answer: () => resolve(keys.map(String)), fail: reject});
			}),
	);
	return {ask, asked};
}

describe('batched', () => {
	test('calls of one turn of the event loop share a batch, and each gets its own value', async () => {
		const {ask, asked} = held();
		const answers = [3, 1, 3].map(ask);
		await vi.waitFor(() => expect(asked).toHaveLength(1));
		expect(asked[0]?.keys).toEqual([3, 1, 3]);
		asked[0]?.answer();
		expect(await Promise.all(answers)).toEqual(['3', '1', '3']);
	});

	test('calls during two running batches share the next batch', async () => {
		const {ask, asked} = held();
		const first = ask(1);
		await vi.waitFor(() => expect(asked).toHaveLength(1));
		const second = ask(2);
		await vi.waitFor(() => expect(asked).toHaveLength(2));
		const third = [ask(3)];
		await new Promise(setImmediate);
		third.push(ask(4));
		await new Promise(setImmediate);
		expect(asked).toHaveLength(2);
		asked[1]?.answer();
		await vi.waitFor(() => expect(asked).toHaveLength(3));
		expect(asked[2]?.keys).toEqual([3, 4]);
		asked[2]?.answer();
		asked[0]?.answer();
		expect(await Promise.all([first, second, ...third])).toEqual(['1', '2', '3', '4']);
	});

	test('a failed batch rejects its calls and does not stop the next batch', async () => {
		const {ask, asked} = held();
		const answers = [ask(1), ask(2)];
		await vi.waitFor(() => expect(asked).toHaveLength(1));
		asked[0]?.fail(new Error('lost'));
		expect(await Promise.allSettled(answers)).toMatchObject([1, 2].map(() => ({reason: {message: 'lost'}})));
		const later = ask(3);
		await vi.waitFor(() => expect(asked).toHaveLength(2));
		asked[1]?.answer();
		expect(await later).toBe('3');
	});

	test('every call gets its value, whatever the order of arrival', async () => {
		const turns = fc.array(fc.oneof(fc.constant('turn' as const), fc.nat(9)), {maxLength: 60});
		await fc.assert(
			fc.asyncProperty(turns, fc.array(fc.nat(3), {minLength: 1}), async (steps, delays) => {
				let most = 0;
				let underWay = 0;
				let count = 0;
				const ask = batched<number, string>(async keys => {
					most = Math.max(most, ++underWay);
					for (let turn = delays[count++ % delays.length] ?? 0; turn > 0; turn--) {
						await new Promise(setImmediate);
					}

					underWay--;
					return keys.map(String);
				});
				const asked: {readonly key: number; readonly answer: Promise<string>}[] = [];
				for (const step of steps) {
					if (step === 'turn') {
						await new Promise(setImmediate);
					} else {
						asked.push({key: step, answer: ask(step)});
					}
				}

				for (const {key, answer} of asked) {
					expect(await answer).toBe(String(key));
				}

				expect(most).toBeLessThanOrEqual(2);
			}),
		);
	});
});
