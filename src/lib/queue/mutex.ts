/** Runs asynchronous tasks one at a time, in order of arrival. A failed task does not stop the ones after it. */
export class Mutex {
	#last: Promise<unknown> = Promise.resolve();

	/** Resolves or rejects with the result of `task`. */
	async run<T>(task: () => Promise<T>): Promise<T> {
		const result = this.#last.then(task);
		this.#last = result.catch(() => {});
		return result;
	}

	/** Resolves when every task added so far has ended. */
	async idle(): Promise<void> {
		await this.#last;
	}
}

/**
 * A mutex per key. Tasks that share a key run one at a time, in order of arrival; all others run concurrently. A task may have
 * several keys and takes them all at once, so that tasks cannot deadlock.
 */
export class KeyedMutex {
	/** The end of the last task of each key that is in use. */
	readonly #lastByKey = new Map<string, Promise<unknown>>();

	/** Resolves or rejects with the result of `task`. */
	async run<T>(keys: readonly string[], task: () => Promise<T>): Promise<T> {
		const result = Promise.all(keys.map(key => this.#lastByKey.get(key))).then(task);
		const ended = result
			.catch(() => {})
			.then(() => {
				for (const key of keys) {
					if (this.#lastByKey.get(key) === ended) {
						this.#lastByKey.delete(key);
					}
				}
			});
		for (const key of keys) {
			this.#lastByKey.set(key, ended);
		}

		return result;
	}
}
