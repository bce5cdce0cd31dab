/** What one step of some work cost, and whether there are more. */
export type Step = () => {readonly cost: number; readonly hasMore: boolean};

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
