type Task = () => Promise<void>;

/**
 * Runs tasks with limited concurrency, in turns by holder (a user, a credential or an address). A holder never has more tasks
 * running than slots are free for the others, so that many or slow tasks of one holder do not delay another.
 */
export class FairQueue {
	readonly #maxPerHolder: number;
	#free: number;
	/** Waiting tasks by holder. The first holder is the next to get a slot. */
	readonly #waiting = new Map<string, Task[]>();
	/** Number of running tasks by holder. */
	readonly #running = new Map<string, number>();

	/** `concurrency`: tasks that run at the same time. `maxPerHolder`: the same for one holder, however many slots are free. */
	constructor(concurrency: number, maxPerHolder = Number.POSITIVE_INFINITY) {
		this.#free = concurrency;
		this.#maxPerHolder = maxPerHolder;
	}

	/** Number of free slots. */
	get free(): number {
		return this.#free;
	}

	/** Number of tasks of this holder that would start immediately. */
	capacity(holder: string): number {
		if (this.#waiting.has(holder)) {
			return 0;
		}

		const running = this.#running.get(holder) ?? 0;
		// Each started task takes a slot from the others, too.
		return Math.max(0, Math.min(Math.ceil((this.#free - running) / 2), this.#maxPerHolder - running));
	}

	/** Starts `task` when it is the holder's turn. Resolves or rejects with its result. */
	async run<T>(holder: string, task: () => Promise<T>): Promise<T> {
		return new Promise((resolve, reject) => {
			const waiting = this.#waiting.get(holder) ?? [];
			waiting.push(async () => task().then(resolve, reject));
			this.#waiting.set(holder, waiting);
			this.#startWaiting();
		});
	}

	/** Starts tasks in turns until no holder may take another slot. A holder that is served moves to the end of the map. */
	#startWaiting(): void {
		for (const [holder, waiting] of this.#waiting) {
			const task = this.#mayStart(holder) ? waiting.shift() : undefined;
			if (task) {
				this.#moveLast(holder, waiting);
				void this.#start(holder, task);
			}
		}
	}

	#mayStart(holder: string): boolean {
		return (this.#running.get(holder) ?? 0) < Math.min(this.#free, this.#maxPerHolder);
	}

	async #start(holder: string, task: Task): Promise<void> {
		this.#free--;
		this.#count(holder, 1);
		await task();
		this.#count(holder, -1);
		this.#free++;
		this.#moveLast(holder, this.#waiting.get(holder) ?? []);
		this.#startWaiting();
	}

	#count(holder: string, change: 1 | -1): void {
		const running = (this.#running.get(holder) ?? 0) + change;
		if (running === 0) {
			this.#running.delete(holder);
		} else {
			this.#running.set(holder, running);
		}
	}

	#moveLast(holder: string, waiting: Task[]): void {
		this.#waiting.delete(holder);
		if (waiting.length > 0) {
			this.#waiting.set(holder, waiting);
		}
	}
}
