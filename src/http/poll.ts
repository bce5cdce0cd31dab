import type {Waiter} from '../services/feed.js';

/** One request that is held open: either it is being looked after, or it is parked until something wakes it. */
export class Poll implements Waiter {
	readonly inboxId: string;
	readonly #resume: () => void;
	#isParked = false;
	#hasChanged = false;
	#isOver = false;

	constructor(inboxId: string, resume: () => void) {
		this.inboxId = inboxId;
		this.#resume = resume;
	}

	/** Looks until there is something to answer; undefined when there is nothing and the request was parked. */
	async look<Row>(find: () => Promise<readonly Row[]>): Promise<readonly Row[] | undefined> {
		for (;;) {
			this.#hasChanged = false;
			const rows = await find();
			if (rows.length > 0 || this.#isOver) {
				return rows;
			}

			if (!this.#hasChanged) {
				this.#isParked = true;
				return undefined;
			}
		}
	}

	wake(): void {
		this.#hasChanged = true;
		if (this.#isParked) {
			this.#isParked = false;
			this.#resume();
		}
	}

	/** From now on the next look is the last. */
	end(): void {
		this.#isOver = true;
		this.wake();
	}
}
