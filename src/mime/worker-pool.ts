import {on} from 'node:events';
import {createRequire} from 'node:module';
import type {Readable} from 'node:stream';
import {type ResourceLimits, Worker} from 'node:worker_threads';
import {stoppingError} from '../domain/errors.js';
import {errorCode} from '../lib/errors.js';
import {FairQueue} from '../lib/queue/fair-queue.js';
import type {FromWorker, SourcePiece, TaskInput, TaskName, TaskOutput, TaskRequest} from './worker.js';

/** Worker threads that run the tasks of several owners fairly: a slow task of one owner does not block the others. */
export class WorkerPool {
	readonly #threads: readonly WorkerThread[];
	/** Idle threads; the last one is used first. */
	readonly #idle: WorkerThread[];
	readonly #queue: FairQueue;
	/** Owner of the last task; empty for a task without an owner. */
	#lastOwner = '';
	#hasManyOwners = false;
	readonly #idleMs: number | undefined;
	#idleTimer: NodeJS.Timeout | undefined;

	/** `limits` apply to each thread. Threads end when the pool had no task for `idleMs`; by default they stay. */
	constructor(limits: ResourceLimits, {idleMs}: {readonly idleMs?: number} = {}) {
		this.#idleMs = idleMs;
		this.#threads = [new WorkerThread(limits), new WorkerThread(limits)];
		this.#idle = [...this.#threads];
		this.#queue = new FairQueue(this.#threads.length);
	}

	/** Runs a task when it is the turn of its owner; the deadline counts from then. Fails like `WorkerThread.run`. */
	async run<Name extends TaskName>(
		owner: string,
		name: Name,
		input: TaskInput<Name>,
		options: TaskOptions,
	): Promise<TaskOutput<Name>> {
		// An error of the source before the task starts is reported when it is read.
		options.source?.on('error', () => {});
		this.#hasManyOwners ||= this.#lastOwner !== '' && owner !== this.#lastOwner;
		this.#lastOwner = owner;
		return await this.#queue.run(owner, async (): Promise<TaskOutput<Name>> => {
			const thread = this.#takeIdle();
			try {
				return await thread.run(name, input, options);
			} finally {
				// One owner never uses both threads. With several owners, the second thread is started in advance.
				for (const each of this.#hasManyOwners ? this.#threads : []) {
					void each.start();
				}

				// Only the owner of a task that ended its thread waits for the next thread.
				await thread.start();
				this.#idle.push(thread);
				this.#endWhenIdle();
			}
		});
	}

	#endWhenIdle(): void {
		clearTimeout(this.#idleTimer);
		if (this.#idleMs !== undefined) {
			this.#idleTimer = setTimeout(() => {
				const isIdle = this.#idle.length === this.#threads.length;
				for (const thread of isIdle ? this.#threads : []) {
					void thread.end();
				}
			}, this.#idleMs).unref();
		}
	}

	/** The queue runs one task per thread, so one is idle. */
	#takeIdle(): WorkerThread {
		const thread = this.#idle.pop();
		if (!thread) {
			throw new Error('No worker thread is idle.');
		}

		return thread;
	}

	/** Ends the threads. Running and queued tasks fail with `stopping`. */
	async stop(): Promise<void> {
		await Promise.all(this.#threads.map(async thread => thread.stop()));
	}
}

const maxPieceBytes = 256 * 1024;

/** Failure of a task: timeout, out of memory, or an unexpected error. */
export class TaskFailure extends Error {}

export type TaskOptions = {
	readonly deadlineMs: number;
	/** Input that the task reads as a stream. */
	readonly source?: Readable;
	/** Called with each piece of the source. */
	readonly watch?: (bytes: Uint8Array) => void;
};

/** Running worker and its messages. */
type Thread = {readonly worker: Worker; readonly messages: AsyncIterator<FromWorker[]>};

/**
 * Worker thread that runs one task at a time. It starts with its first task and is replaced after a failed one, so that a
 * mail cannot harm others.
 */
export class WorkerThread {
	readonly #limits: ResourceLimits;
	#thread: Thread | undefined;
	#ready: Promise<Thread> | undefined;
	#isStopped = false;

	constructor(limits: ResourceLimits) {
		this.#limits = limits;
	}

	/** Starts the thread in advance. Resolves when it is ready or has failed. */
	async start(): Promise<void> {
		await this.#started().catch(() => {});
	}

	/**
	 * Runs a task after the previous one has ended. The deadline starts when the thread is ready. Fails with `TaskFailure`,
	 * with `stopping`, or with the error of the source. Always destroys the source.
	 */
	async run<Name extends TaskName>(
		name: Name,
		input: TaskInput<Name>,
		options: TaskOptions,
	): Promise<TaskOutput<Name>> {
		try {
			return (await runOn(await this.#started(), {kind: 'task', name, input}, options)) as TaskOutput<Name>;
		} catch (error) {
			await this.#thread?.worker.terminate();
			this.#assertRunning();
			throw error;
		} finally {
			options.source?.destroy();
		}
	}

	/** Ends the thread, which must be idle. The next task starts another one. */
	async end(): Promise<void> {
		const thread = this.#thread;
		this.#thread = undefined;
		this.#ready = undefined;
		await thread?.worker.terminate();
	}

	/** Ends the thread. Its task and later ones fail with `stopping`. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		await this.#thread?.worker.terminate();
	}

	#assertRunning(): void {
		if (this.#isStopped) {
			throw stoppingError();
		}
	}

	/** Starts the thread if needed and waits until it is ready, so that the start does not count against the deadline. */
	async #started(): Promise<Thread> {
		this.#assertRunning();
		this.#ready ??= this.#start();
		return this.#ready;
	}

	async #start(): Promise<Thread> {
		const file = createRequire(import.meta.url).resolve('#mime-worker');
		const worker = new Worker(file, {resourceLimits: this.#limits, execArgv: []});
		const messages: AsyncIterator<FromWorker[]> = on(worker, 'message', {close: ['exit']});
		const thread = {worker, messages};
		this.#thread = thread;
		// A running task gets the error as well; this handles errors after it.
		worker.on('error', () => {});
		worker.once('exit', () => {
			if (this.#thread === thread) {
				this.#thread = undefined;
				this.#ready = undefined;
			}
		});
		if ((await messages.next()).done) {
			throw new TaskFailure('its worker thread did not start');
		}

		return thread;
	}
}

/**
 * Runs a task on a thread. A short source is sent with the request, a long one on demand. Ends a thread that exceeds the
 * deadline. Fails with `TaskFailure` or with the error of the source.
 */
async function runOn(thread: Thread, request: TaskRequest, options: TaskOptions): Promise<unknown> {
	const {deadlineMs, source} = options;
	let isTimedOut = false;
	const deadline = setTimeout(() => {
		isTimedOut = true;
		source?.destroy();
		void thread.worker.terminate();
	}, deadlineMs);
	try {
		return await outcome(thread, request, options);
	} catch (error) {
		throw (
			source?.errored ?? (isTimedOut ? new TaskFailure(`it took longer than ${deadlineMs / 1000} s`) : failureOf(error))
		);
	} finally {
		clearTimeout(deadline);
	}
}

function failureOf(error: unknown): TaskFailure {
	if (error instanceof TaskFailure) {
		return error;
	}

	const isTooLarge = errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY';
	return new TaskFailure(isTooLarge ? 'it exceeds the memory limit of a mail' : 'parsing it failed', {cause: error});
}

async function outcome({worker, messages}: Thread, request: TaskRequest, options: TaskOptions): Promise<unknown> {
	const {source, watch} = options;
	const pieces = source && piecesOf(source, watch);
	const nextPiece = async (): Promise<SourcePiece | undefined> => (await pieces?.next())?.value;
	const first = await nextPiece();
	worker.postMessage({...request, piece: first}, first ? [first.bytes.buffer] : []);
	for (let message = await messages.next(); !message.done; message = await messages.next()) {
		const [answer] = message.value;
		if (answer?.kind === 'done') {
			return answer.output;
		}

		if (answer?.kind === 'failed') {
			throw new TaskFailure(answer.reason);
		}

		const piece = await nextPiece();
		worker.postMessage({kind: 'source', piece}, piece ? [piece.bytes.buffer] : []);
	}

	throw new TaskFailure('its worker thread ended');
}

/** Yields a source in pieces, at least one; the last one is marked. `watch` sees them as soon as they arrive. */
async function* piecesOf(source: Readable, watch?: (bytes: Uint8Array) => void): AsyncGenerator<SourcePiece> {
	let last = new Uint8Array();
	for await (const chunk of source as AsyncIterable<Buffer>) {
		for (let from = 0; from < chunk.length; from += maxPieceBytes) {
			if (last.length > 0) {
				yield {bytes: last, isLast: false};
			}

			last = new Uint8Array(chunk.subarray(from, from + maxPieceBytes));
			watch?.(last);
		}
	}

	yield {bytes: last, isLast: true};
}
