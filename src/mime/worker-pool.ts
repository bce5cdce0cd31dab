import {on} from 'node:events';
import {createRequire} from 'node:module';
import type {Readable} from 'node:stream';
import {type ResourceLimits, Worker} from 'node:worker_threads';
import {AppError} from '../domain/errors.js';
import {errorCode} from '../lib/errors.js';
import {FairQueue} from '../lib/queue/fair-queue.js';
import type {FromWorker, SourcePiece, TaskInput, TaskName, TaskOutput, TaskRequest} from './worker.js';

/** Worker threads that perform the tasks of several owners in turns: while one owner's task takes long, others have a thread. */
export class WorkerPool {
	readonly #threads: readonly WorkerThread[];
	/** Idle threads; the last one is used first. */
	readonly #idle: WorkerThread[];
	readonly #queue: FairQueue;
	/** Of the last task; empty for one that is nobody's. */
	#lastOwner = '';
	#hasManyOwners = false;

	/** The limits are those of one thread. */
	constructor(limits: ResourceLimits) {
		this.#threads = [new WorkerThread(limits), new WorkerThread(limits)];
		this.#idle = [...this.#threads];
		this.#queue = new FairQueue(this.#threads.length);
	}

	/** Performs a task, as a `WorkerThread` does, when it is the owner's turn; the deadline counts from then. */
	async run<Name extends TaskName>(
		owner: string,
		name: Name,
		input: TaskInput<Name>,
		terms: TaskTerms,
	): Promise<TaskOutput<Name>> {
		// A source that fails while it waits is found out when it is read.
		terms.source?.on('error', () => {});
		this.#hasManyOwners ||= this.#lastOwner !== '' && owner !== this.#lastOwner;
		this.#lastOwner = owner;
		return await this.#queue.run(owner, async (): Promise<TaskOutput<Name>> => {
			const thread = this.#takeIdle();
			try {
				return await thread.run(name, input, terms);
			} finally {
				// One owner never has both. Where there are more, who finds a thread taken shall not wait for the start of another.
				for (const thread of this.#hasManyOwners ? this.#threads : []) {
					void thread.start();
				}

				// Who ended the thread waits for its next start, and nobody else.
				await thread.start();
				this.#idle.push(thread);
			}
		});
	}

	/** The queue runs one task per thread, so one is idle. */
	#takeIdle(): WorkerThread {
		const thread = this.#idle.pop();
		if (!thread) {
			throw new Error('No worker thread is idle.');
		}

		return thread;
	}

	/** Ends the threads; tasks under way and waiting fail with `stopping`. */
	async stop(): Promise<void> {
		await Promise.all(this.#threads.map(async thread => thread.stop()));
	}
}

const maxPieceBytes = 256 * 1024;

/** Why a task has no output: its thread took too long, ran out of memory, or met something unexpected. */
export class TaskFailure extends Error {}

export type TaskTerms = {
	readonly deadlineMs: number;
	/** What the task reads. */
	readonly source?: Readable;
	/** Sees each piece of the source on its way. */
	readonly watch?: (bytes: Uint8Array) => void;
	/** What the input holds that is given away instead of copied. */
	readonly transfer?: readonly ArrayBuffer[];
};

/** A running worker, and what it says from its start to its end. */
type Thread = {readonly worker: Worker; readonly messages: AsyncIterator<FromWorker[]>};

/**
 * A worker thread that performs one task at a time. It starts with its first task and is replaced after a task that
 * fails, so that a mail can harm no other.
 */
export class WorkerThread {
	readonly #limits: ResourceLimits;
	#thread: Thread | undefined;
	#ready: Promise<Thread> | undefined;
	#isStopped = false;

	constructor(limits: ResourceLimits) {
		this.#limits = limits;
	}

	/** Starts the thread ahead of its next task, and resolves when it is ready, or cannot be. */
	async start(): Promise<void> {
		await this.#started().catch(() => {});
	}

	/**
	 * Performs a task; the one before it must be over. Its deadline counts from when the thread is ready. Fails with
	 * `TaskFailure`, with `stopping`, or as the source does. The source is destroyed in any case.
	 */
	async run<Name extends TaskName>(name: Name, input: TaskInput<Name>, terms: TaskTerms): Promise<TaskOutput<Name>> {
		try {
			return (await performOn(await this.#started(), {kind: 'task', name, input}, terms)) as TaskOutput<Name>;
		} catch (error) {
			await this.#thread?.worker.terminate();
			this.#refuseWhenStopped();
			throw error;
		} finally {
			terms.source?.destroy();
		}
	}

	/** Ends the thread; its task, and all that come later, fail with `stopping`. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		await this.#thread?.worker.terminate();
	}

	#refuseWhenStopped(): void {
		if (this.#isStopped) {
			throw new AppError('stopping', 'The daemon is stopping. Try again when it is running.');
		}
	}

	/** Starts the thread unless it runs, and waits until it is ready, so that no task pays for that with its time. */
	async #started(): Promise<Thread> {
		this.#refuseWhenStopped();
		this.#ready ??= this.#start();
		return this.#ready;
	}

	async #start(): Promise<Thread> {
		const file = createRequire(import.meta.url).resolve('#mime-worker');
		const worker = new Worker(file, {resourceLimits: this.#limits, execArgv: []});
		const messages: AsyncIterator<FromWorker[]> = on(worker, 'message', {close: ['exit']});
		const thread = {worker, messages};
		this.#thread = thread;
		// Its task hears of an error, too; this is for errors that come after.
		worker.on('error', () => {});
		worker.once('exit', () => {
			this.#thread = undefined;
			this.#ready = undefined;
		});
		if ((await messages.next()).done) {
			throw new TaskFailure('its worker thread did not start');
		}

		return thread;
	}
}

/**
 * Has a thread perform one task, handing it the source as it asks; a short one goes with the request. Fails with
 * `TaskFailure`, or as the source does. A thread that takes too long is ended.
 */
async function performOn(thread: Thread, request: TaskRequest, terms: TaskTerms): Promise<unknown> {
	const {deadlineMs, source} = terms;
	let isLate = false;
	const deadline = setTimeout(() => {
		isLate = true;
		source?.destroy();
		void thread.worker.terminate();
	}, deadlineMs);
	try {
		return await outcome(thread, request, terms);
	} catch (error) {
		throw (
			source?.errored ?? (isLate ? new TaskFailure(`it took longer than ${deadlineMs / 1000} s`) : failureOf(error))
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

async function outcome({worker, messages}: Thread, request: TaskRequest, terms: TaskTerms): Promise<unknown> {
	const {source, watch, transfer = []} = terms;
	const pieces = source && piecesOf(source, watch);
	const nextPiece = async (): Promise<SourcePiece | undefined> => (await pieces?.next())?.value;
	const first = await nextPiece();
	worker.postMessage({...request, piece: first}, first ? [first.bytes.buffer, ...transfer] : transfer);
	for (let said = await messages.next(); !said.done; said = await messages.next()) {
		const [answer] = said.value;
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

/** The bytes of a source in pieces: at least one, of which the last says so. `watch` sees them as soon as they come. */
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
