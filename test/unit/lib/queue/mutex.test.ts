import {describe, expect, test} from 'vitest';
import {KeyedMutex, Mutex} from '../../../../src/lib/queue/mutex.js';

/** A task that logs its start and ends when `finish` is called. */
function createTask(log: string[], name: string) {
	let finish = () => {};
	const finished = new Promise<void>(resolve => {
		finish = resolve;
	});
	const task = async () => {
		log.push(name);
		await finished;
		return name;
	};
	return {task, finish: () => finish()};
}

const settle = async () => new Promise(resolve => setImmediate(resolve));

describe('a mutex', () => {
	test('runs tasks one at a time, in order of arrival', async () => {
		const mutex = new Mutex();
		const log: string[] = [];
		const first = createTask(log, 'first');
		const second = createTask(log, 'second');
		const results = [mutex.run(first.task), mutex.run(second.task)];
		await settle();
		expect(log).toEqual(['first']);
		first.finish();
		await results[0];
		await settle();
		expect(log).toEqual(['first', 'second']);
		second.finish();
		expect(await Promise.all(results)).toEqual(['first', 'second']);
	});

	test('rejects with the error of a task and runs the next one', async () => {
		const mutex = new Mutex();
		const failed = mutex.run(async () => {
			throw new Error('failed');
		});
		const next = mutex.run(async () => 'next');
		await expect(failed).rejects.toThrow('failed');
		expect(await next).toBe('next');
	});

	test('is idle when every task added so far has ended, even a failed one', async () => {
		const mutex = new Mutex();
		const log: string[] = [];
		const failed = mutex.run(async () => {
			throw new Error('failed');
		});
		failed.catch(() => {});
		void mutex.run(async () => log.push('done'));
		await mutex.idle();
		expect(log).toEqual(['done']);
	});
});

describe('a keyed mutex', () => {
	test('runs tasks with a common key one at a time and all others concurrently', async () => {
		const mutex = new KeyedMutex();
		const log: string[] = [];
		const tasks = ['a', 'b', 'ab', 'c'].map(name => createTask(log, name));
		const results = tasks.map(({task}, index) => mutex.run([...('a b ab c'.split(' ')[index] ?? '')], task));
		await settle();
		expect(log).toEqual(['a', 'b', 'c']);
		tasks[0]?.finish();
		await settle();
		expect(log).toEqual(['a', 'b', 'c']);
		tasks[1]?.finish();
		await settle();
		expect(log).toEqual(['a', 'b', 'c', 'ab']);
		tasks[2]?.finish();
		tasks[3]?.finish();
		expect(await Promise.all(results)).toEqual(['a', 'b', 'ab', 'c']);
	});

	test('runs the next task of a key after a failed one', async () => {
		const mutex = new KeyedMutex();
		const failed = mutex.run(['a'], async () => {
			throw new Error('failed');
		});
		const next = mutex.run(['a'], async () => 'next');
		await expect(failed).rejects.toThrow('failed');
		expect(await next).toBe('next');
	});
});
