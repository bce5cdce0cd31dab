/** Runs works one at a time, in the order in which they came. */
export class Turns {
	#last: Promise<unknown> = Promise.resolve();

	async take<T>(work: () => Promise<T>): Promise<T> {
		const result = this.#last.then(work);
		this.#last = result.catch(() => {});
		return result;
	}

	/** Resolves when all that came so far is done. */
	async idle(): Promise<void> {
		await this.#last;
	}
}
