import type {ResourceLimits} from 'node:worker_threads';
import {FairQueue} from '../lib/fair-queue.js';
import type {TaskInput, TaskName, TaskOutput} from './worker.js';
import {type TaskTerms, WorkerThread} from './worker-thread.js';

/** Worker threads that perform the tasks of several owners in turns: while one owner's task takes long, others have a thread. */
export class WorkerPool {
	readonly #threads: readonly WorkerThread[];
	readonly #queue: FairQueue<WorkerThread>;
	/** Of the last task; empty for one that is nobody's. */
	#lastOwner = '';
	#hasManyOwners = false;

	/** The limits are those of one thread. */
	constructor(limits: ResourceLimits) {
		this.#threads = [new WorkerThread(limits), new WorkerThread(limits)];
		this.#queue = new FairQueue(this.#threads);
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
		return await this.#queue.run(owner, async (thread): Promise<TaskOutput<Name>> => {
			try {
				return await thread.run(name, input, terms);
			} finally {
				// One owner never has both. Where there are more, who finds a thread taken shall not wait for the start of another.
				for (const thread of this.#hasManyOwners ? this.#threads : []) {
					void thread.start();
				}

				// Who ended the thread waits for its next start, and nobody else.
				await thread.start();
			}
		});
	}

	/** Ends the threads; tasks under way and waiting fail with `stopping`. */
	async stop(): Promise<void> {
		await Promise.all(this.#threads.map(async thread => thread.stop()));
	}
}
