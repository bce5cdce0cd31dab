import {FairQueue} from './fair-queue.js';

/** What one step of some work cost, and whether there are more. */
type Step = () => {readonly cost: number; readonly hasMore: boolean};

/**
 * Does works step by step, as many steps in a turn of the event loop as it can pay for; works take turns. While there is
 * little to do, steps are done at once.
 */
export class Pace {
	readonly #maxCost: number;
	readonly #waiting = new Set<Step>();
	#left: number;
	#isDoing = false;
	#next: NodeJS.Immediate | undefined;

	/** `maxCost`: of the steps of one turn; the last one may exceed it. */
	constructor(maxCost: number) {
		this.#maxCost = maxCost;
		this.#left = maxCost;
	}

	/** Adds a work that has something to do, unless it waits already. What a step adds comes after that step. */
	add(step: Step): void {
		this.#waiting.add(step);
		if (!this.#isDoing) {
			this.#goOn();
		}
	}

	/** Whether a step may be done at once, without being added: nothing else is to be done, and this turn can pay for it. It counts. */
	spend(cost: number): boolean {
		const mayBe = !this.#isDoing && this.#waiting.size === 0 && this.#left > 0;
		if (mayBe) {
			this.#left -= cost;
			this.#awaitTurn();
		}

		return mayBe;
	}

	#goOn(): void {
		this.#isDoing = true;
		try {
			this.#doSteps();
		} finally {
			this.#isDoing = false;
		}

		this.#awaitTurn();
	}

	#awaitTurn(): void {
		this.#next ??= setImmediate(() => {
			this.#next = undefined;
			this.#left = this.#maxCost;
			if (this.#waiting.size > 0) {
				this.#goOn();
			}
		});
	}

	#doSteps(): void {
		for (const step of this.#waiting) {
			if (this.#left <= 0) {
				break;
			}

			this.#waiting.delete(step);
			const {cost, hasMore} = step();
			this.#left -= cost;
			if (hasMore) {
				this.#waiting.add(step);
			}
		}
	}
}

/**
 * How long this thread works at what can wait before all else gets its turn. Short, since one new connection is taken in a
 * turn of the event loop (libuv 1.45 and later).
 */
const sliceMs = 1;

/**
 * Does work on this thread that can be much, in slices: of all such work, one slice is done between two looks at what else
 * there is to do, and owners take turns. What is little is done at once.
 */
export class Slices {
	readonly #queue = new FairQueue([null]);
	/** How long it worked since the last look. */
	#workedMs = 0;

	/** Steps through the work to its end, and gives what it returns. A step must be short. */
	async run<T>(owner: string, work: Iterator<unknown, T>): Promise<T> {
		for (;;) {
			const step = await this.#queue.run(owner, async () => this.#slice(work));
			if (step.done) {
				return step.value;
			}
		}
	}

	async #slice<T>(work: Iterator<unknown, T>): Promise<IteratorResult<unknown, T>> {
		if (this.#workedMs >= sliceMs) {
			await new Promise(setImmediate);
		}

		if (this.#workedMs === 0) {
			setImmediate(() => {
				this.#workedMs = 0;
			});
		}

		const began = performance.now() - this.#workedMs;
		let step = work.next();
		while (!step.done && performance.now() - began < sliceMs) {
			step = work.next();
		}

		this.#workedMs = performance.now() - began;
		return step;
	}
}
