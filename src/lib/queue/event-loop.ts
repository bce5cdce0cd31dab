import {FairQueue} from './fair-queue.js';

/** One step of a task. Returns its cost, and true in `hasMore` if another step follows. */
export type Step = () => {readonly cost: number; readonly hasMore: boolean};

/**
 * Budget for the work done in one turn of the event loop. Tasks run step by step and in turns until the budget is spent, then
 * continue in the next turn. While there is little to do, steps run immediately.
 */
export class TurnBudget {
	readonly #maxCost: number;
	readonly #waiting = new Set<Step>();
	#remaining: number;
	#isRunning = false;
	#nextTurn: NodeJS.Immediate | undefined;

	/** `maxCost`: cost of the steps in one turn. The last step may exceed it. */
	constructor(maxCost: number) {
		this.#maxCost = maxCost;
		this.#remaining = maxCost;
	}

	/** Schedules a step, unless it is scheduled already. A step added by a running step runs after it. */
	add(step: Step): void {
		this.#waiting.add(step);
		if (!this.#isRunning) {
			this.#run();
		}
	}

	/** Spends a cost without scheduling. Returns false if steps are waiting or the budget of this turn is spent. */
	trySpend(cost: number): boolean {
		const isAvailable = !this.#isRunning && this.#waiting.size === 0 && this.#remaining > 0;
		if (isAvailable) {
			this.#remaining -= cost;
			this.#scheduleTurn();
		}

		return isAvailable;
	}

	#run(): void {
		this.#isRunning = true;
		try {
			this.#runSteps();
		} finally {
			this.#isRunning = false;
		}

		this.#scheduleTurn();
	}

	#scheduleTurn(): void {
		this.#nextTurn ??= setImmediate(() => {
			this.#nextTurn = undefined;
			this.#remaining = this.#maxCost;
			if (this.#waiting.size > 0) {
				this.#run();
			}
		});
	}

	#runSteps(): void {
		for (const step of this.#waiting) {
			if (this.#remaining <= 0) {
				break;
			}

			this.#waiting.delete(step);
			const {cost, hasMore} = step();
			this.#remaining -= cost;
			if (hasMore) {
				this.#waiting.add(step);
			}
		}
	}
}

/**
 * Duration of one slice. Short, because libuv 1.45 and later accept one new connection per turn of the event loop, and each
 * waits for the slice before it.
 */
const sliceMs = 1;

/** Share of a long turn of the event loop that a slice may take, so that other work does not delay the tasks without end. */
const shareOfTurn = 0.2;

/**
 * Runs long tasks on the main thread in time slices, one slice per turn of the event loop, in turns by holder. A short task
 * runs immediately.
 */
export class TimeSlicer {
	readonly #queue = new FairQueue(1);
	/** Time worked in this turn of the event loop. */
	#workedMs = 0;
	/** Duration of a slice; longer if the previous turn was long. */
	#sliceMs = sliceMs;

	/** Runs an iterator to its end and resolves to its return value. Each step must be short. */
	async run<T>(holder: string, task: Iterator<unknown, T>): Promise<T> {
		for (;;) {
			const step = await this.#queue.run(holder, async () => this.#runSlice(task));
			if (step.done) {
				return step.value;
			}
		}
	}

	async #runSlice<T>(task: Iterator<unknown, T>): Promise<IteratorResult<unknown, T>> {
		if (this.#workedMs >= this.#sliceMs) {
			await new Promise(setImmediate);
		}

		const now = performance.now();
		if (this.#workedMs === 0) {
			setImmediate(() => {
				this.#workedMs = 0;
				this.#sliceMs = Math.max(sliceMs, (performance.now() - now) * shareOfTurn);
			});
		}

		const start = now - this.#workedMs;
		let step = task.next();
		while (!step.done && performance.now() - start < this.#sliceMs) {
			step = task.next();
		}

		this.#workedMs = performance.now() - start;
		return step;
	}
}
