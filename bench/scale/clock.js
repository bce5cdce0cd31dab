/** A simulated clock in milliseconds that advances from event to event. */
export class Clock {
	now = 0;
	/** A binary heap: the item at `i` is due no later than those at `2i + 1` and `2i + 2`. */
	#events = /** @type {Array<{at: number, order: number, happen: () => void}>} */ ([]);
	#order = 0;

	/**
	 * @param {number} ms from now
	 * @param {() => void} happen
	 */
	after(ms, happen) {
		const event = {at: this.now + ms, order: this.#order++, happen};
		let place = this.#events.push(event) - 1;
		while (place > 0) {
			const parent = (place - 1) >> 1;
			const above = this.#events[parent];
			if (!above || isBefore(above, event)) {
				break;
			}

			this.#events[place] = above;
			place = parent;
		}

		this.#events[place] = event;
	}

	/** @param {number} end */
	runUntil(end) {
		for (let next = this.#events[0]; next && next.at <= end; next = this.#events[0]) {
			this.#takeFirst();
			this.now = next.at;
			next.happen();
		}

		this.now = end;
	}

	#takeFirst() {
		const last = this.#events.pop();
		if (!last || this.#events.length === 0) {
			return;
		}

		let place = 0;
		for (;;) {
			const [left, right] = [this.#events[2 * place + 1], this.#events[2 * place + 2]];
			const child = left && right && isBefore(right, left) ? 2 * place + 2 : 2 * place + 1;
			const below = this.#events[child];
			if (!below || isBefore(last, below)) {
				break;
			}

			this.#events[place] = below;
			place = child;
		}

		this.#events[place] = last;
	}
}

/**
 * @param {{at: number, order: number}} one
 * @param {{at: number, order: number}} other
 */
function isBefore(one, other) {
	return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** A number of servers with one queue, for example processors; a lock is one server. */
export class Servers {
	/** @type {Array<{ms: number, done: () => void}>} */
	#queue = [];
	#free;
	#clock;

	/**
	 * @param {Clock} clock
	 * @param {number} count
	 */
	constructor(clock, count) {
		this.#clock = clock;
		this.#free = count;
	}

	/**
	 * @param {number} ms
	 * @param {() => void} done
	 */
	work(ms, done) {
		if (this.#free === 0) {
			this.#queue.push({ms, done});
		} else {
			this.#free--;
			this.#serve(ms, done);
		}
	}

	/**
	 * @param {number} ms
	 * @param {() => void} done
	 */
	#serve(ms, done) {
		this.#clock.after(ms, () => {
			const next = this.#queue.shift();
			if (next) {
				this.#serve(next.ms, next.done);
			} else {
				this.#free++;
			}

			done();
		});
	}
}
