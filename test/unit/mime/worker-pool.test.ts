import {Readable} from 'node:stream';
import type {Worker} from 'node:worker_threads';
import {expect, onTestFinished, test, vi} from 'vitest';
import {TaskFailure, WorkerPool} from '../../../src/mime/worker-pool.js';

/** Collects the threads that start from now on and are ready for a task. */
function watchThreads(): ReadonlySet<Worker> {
	const ready = new Set<Worker>();
	const watch = (thread: Worker) => {
		thread.once('message', () => ready.add(thread));
		thread.once('exit', () => ready.delete(thread));
	};
	process.on('worker', watch);
	onTestFinished(() => void process.off('worker', watch));
	return ready;
}

function openPool(): WorkerPool {
	const pool = new WorkerPool({});
	onTestFinished(() => pool.stop());
	return pool;
}

const patient = {deadlineMs: 20_000};

test('the worker pool starts one thread for one owner and two for several', async () => {
	let started = 0;
	const watch = () => void started++;
	process.on('worker', watch);
	onTestFinished(() => void process.off('worker', watch));
	const pool = openPool();
	for (const owner of ['', 'ada', 'ada']) {
		await pool.run(owner, 'readHeaders', Buffer.from('Subject: short'), patient);
	}

	expect(started).toBe(1);
	await pool.run('bob', 'readHeaders', Buffer.from('Subject: short'), patient);
	await vi.waitFor(() => expect(started).toBe(2), 20_000);
});

test('a task that terminates its thread is rejected after the replacement thread is ready', async () => {
	const threads = watchThreads();
	const pool = openPool();
	for (const owner of ['ada', 'bob']) {
		await pool.run(owner, 'readHeaders', Buffer.from('Subject: short'), patient);
	}

	await vi.waitFor(() => expect(threads.size).toBe(2), 20_000);
	const endless = pool.run('ada', 'readContent', undefined, {deadlineMs: 100, source: new Readable({read() {}})});
	await expect(endless).rejects.toThrow(TaskFailure);
	expect(threads.size).toBe(2);
});
