/** Runs works one after the other, in the order in which they came, where they have a key in common. */
export class Serial {
	readonly #last = new Map<string, Promise<unknown>>();

	async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
		const before = keys.map(key => this.#last.get(key));
		const result = Promise.all(before).then(work);
		const over = result
			.catch(() => {})
			.then(() => {
				for (const key of keys) {
					if (this.#last.get(key) === over) {
						this.#last.delete(key);
					}
				}
			});
		for (const key of keys) {
			this.#last.set(key, over);
		}

		return result;
	}
}
