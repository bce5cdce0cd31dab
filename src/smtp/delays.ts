import {Pace} from '../lib/queue/event-loop.js';

/** How exact delays are. */
export const tickMs = 10;

/** Delays that end in one turn of the event loop: very many can at the same moment. */
const maxPerTurn = 8;

/** The delays of many, each with one at a time, by one timer. */
export class Delays {
	readonly #pace = new Pace(maxPerTurn);
	readonly #delays = new Map<object, {readonly until: number; readonly then: () => void}>();
	#timer: NodeJS.Timeout | undefined;
	#isOver = false;

	/** Calls `then` after so long, or soon after `endAll`. */
	add(owner: object, ms: number, then: () => void): void {
		if (this.#isOver) {
			then();
			return;
		}

		this.#delays.set(owner, {until: performance.now() + ms, then});
		this.#timer ??= setInterval(() => this.#endDue(performance.now()), tickMs).unref();
	}

	has(owner: object): boolean {
		return this.#delays.has(owner);
	}

	/** Forgets the delay of one who has gone. */
	delete(owner: object): void {
		this.#delays.delete(owner);
	}

	/** From now on nobody is delayed. */
	endAll(): void {
		this.#isOver = true;
		this.#endDue(Number.POSITIVE_INFINITY);
	}

	#endDue(now: number): void {
		for (const [owner, {until, then}] of this.#delays) {
			if (until <= now) {
				this.#delays.delete(owner);
				this.#pace.add(() => {
					then();
					return {cost: 1, hasMore: false};
				});
			}
		}

		if (this.#delays.size === 0) {
			clearInterval(this.#timer);
			this.#timer = undefined;
		}
	}
}
