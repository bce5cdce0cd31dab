import {FairQueue} from './fair-queue.js';

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
