import {on} from 'node:events';
import {createRequire} from 'node:module';
import {type ResourceLimits, Worker} from 'node:worker_threads';
import {AppError} from '../domain/errors.js';
import {exchange, TaskFailure, type Terms, type Thread} from './exchange.js';
import type {Report, TaskName, TaskOrder, Tasks} from './tasks.js';

/**
 * A worker thread that performs one task after another. It starts with its first task and is replaced after a task
 * that fails, so that a mail can harm no other.
 */
export class WorkerThread {
	readonly #limits: ResourceLimits;
	#thread: Thread | undefined;
	#last: Promise<unknown> = Promise.resolve();
	#isStopped = false;

	constructor(limits: ResourceLimits) {
		this.#limits = limits;
	}

	/**
	 * Performs a task when all earlier ones are over; its deadline counts from then. Fails with `TaskFailure`, with
	 * `stopping`, or as the source does. The source is destroyed in any case.
	 */
	run<Name extends TaskName>(name: Name, input: Tasks[Name]['input'], terms: Terms): Promise<Tasks[Name]['output']> {
		// A source that fails while it waits is found out when it is read.
		terms.source?.on('error', () => {});
		const output = this.#last.then(() => this.#perform(name, input, terms));
		this.#last = output.catch(() => {});
		return output;
	}

	/** Ends the thread; tasks under way and waiting fail with `stopping`. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		await this.#thread?.worker.terminate();
		await this.#last;
	}

	async #perform<Name extends TaskName>(
		name: Name,
		input: Tasks[Name]['input'],
		terms: Terms,
	): Promise<Tasks[Name]['output']> {
		try {
			this.#refuseWhenStopped();
			const thread = this.#thread ?? (await this.#start());
			return (await exchange(thread, {kind: 'task', name, input} as TaskOrder, terms)) as Tasks[Name]['output'];
		} catch (error) {
			await this.#thread?.worker.terminate();
			this.#refuseWhenStopped();
			throw error;
		} finally {
			terms.source?.destroy();
		}
	}

	#refuseWhenStopped(): void {
		if (this.#isStopped) {
			throw new AppError('stopping', 'The server is stopping; try again when it runs.');
		}
	}

	/** Starts the thread and waits until it is ready, so that no task pays for that with its time. */
	async #start(): Promise<Thread> {
		const file = createRequire(import.meta.url).resolve('#mime-worker');
		const worker = new Worker(file, {resourceLimits: this.#limits, execArgv: []});
		const reports: AsyncIterator<Report[]> = on(worker, 'message', {close: ['exit']});
		const thread = {worker, reports};
		this.#thread = thread;
		// Its task hears of an error, too; this is for errors that come after.
		worker.on('error', () => {});
		worker.once('exit', () => {
			this.#thread = undefined;
		});
		if ((await reports.next()).done) {
			throw new TaskFailure('its thread did not start');
		}

		return thread;
	}
}
