type Entry<Value> = {readonly at: number; readonly value: Value};

export type RateWindowOptions = {
	/** Events per key and window. */
	readonly limit: number;
	readonly windowMs: number;
	/** Number of keys that are remembered; the least recently counted one is dropped first. */
	readonly maxKeys?: number;
};

/**
 * Sliding window that counts events by key, such as failed logins by address. Times are milliseconds of one clock. An event may
 * carry a value.
 */
export class RateWindow<Value = undefined> {
	readonly #limit: number;
	readonly #windowMs: number;
	readonly #maxKeys: number;
	/** Events by key, oldest first. The least recently counted key is the first one. */
	readonly #entries = new Map<string, ReadonlyArray<Entry<Value>>>();

	constructor({limit, windowMs, maxKeys = 10_000}: RateWindowOptions) {
		this.#limit = limit;
		this.#windowMs = windowMs;
		this.#maxKeys = maxKeys;
	}

	/** Values of the events in the window, oldest first. */
	values(key: string, now: number): readonly Value[] {
		return this.#current(key, now).map(({value}) => value);
	}

	isFull(key: string, now: number): boolean {
		return this.#current(key, now).length >= this.#limit;
	}

	/** Counts an event. Returns 0; if the window was full, the milliseconds until its oldest event leaves it. */
	add(key: string, value: Value, now: number): number {
		const current = this.#current(key, now);
		const [oldest] = current;
		this.#entries.delete(key);
		this.#entries.set(key, [...current, {at: now, value}].slice(-this.#limit));
		if (this.#entries.size > this.#maxKeys) {
			const [leastRecent = ''] = this.#entries.keys();
			this.#entries.delete(leastRecent);
		}

		return oldest && current.length >= this.#limit ? oldest.at + this.#windowMs - now : 0;
	}

	/** The events in the window. A clock that was set back does not extend it. */
	#current(key: string, now: number): ReadonlyArray<Entry<Value>> {
		return (this.#entries.get(key) ?? []).filter(({at}) => Math.abs(now - at) < this.#windowMs);
	}
}
