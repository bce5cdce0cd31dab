import {expect, test, vi} from 'vitest';
import {StoreSample} from '../../../src/metrics/metrics.js';

const usage = {inboxes: 1, endpoints: 0, teams: 0, messages: 2, bytes: 3, deliveries: 0};

function storeOf(...sizes: ReadonlyArray<() => Promise<number>>) {
	const left = [...sizes];
	return {usage: async () => usage, size: vi.fn(async () => (left.shift() ?? (async () => 0))())};
}

const never = async () => new Promise<number>(() => {});

test('concurrent and subsequent callers share one sample of the store', async () => {
	const store = storeOf(async () => 4);
	const sample = new StoreSample(store);
	expect(await Promise.all([sample.latest(), sample.latest()])).toEqual([
		{usage, bytes: 4},
		{usage, bytes: 4},
	]);
	expect(await sample.latest()).toEqual({usage, bytes: 4});
	expect(store.size).toHaveBeenCalledOnce();
});

test('a slow store returns the previous sample, or none if it is the first', async () => {
	const store = storeOf(async () => 4, never);
	const sample = new StoreSample(store, {goodForMs: 0, patienceMs: 10});
	await sample.latest();
	await vi.waitFor(async () => {
		expect(await sample.latest()).toEqual({usage, bytes: 4});
		expect(store.size).toHaveBeenCalledTimes(2);
	});
	const silent = new StoreSample(storeOf(never), {patienceMs: 10});
	expect(await silent.latest()).toBeUndefined();
});

test('a failed sample of the store is retried', async () => {
	const store = storeOf(
		async () => Promise.reject(new Error('away')),
		async () => 5,
	);
	const sample = new StoreSample(store, {goodForMs: 0});
	await vi.waitFor(async () => expect(await sample.latest()).toEqual({usage, bytes: 5}));
});
