/** Counts by user and in all; users of whom there is nothing take no memory. */
export class Tally {
	readonly #ofUser = new Map<string, number>();
	#total = 0;

	get total(): number {
		return this.#total;
	}

	of(userId: string): number {
		return this.#ofUser.get(userId) ?? 0;
	}

	/** The result takes it back, once. */
	add(userId: string, amount: number): () => void {
		this.#change(userId, amount);
		let isThere = true;
		return () => {
			if (isThere) {
				isThere = false;
				this.#change(userId, -amount);
			}
		};
	}

	#change(userId: string, amount: number): void {
		this.#total += amount;
		const count = this.of(userId) + amount;
		if (count === 0) {
			this.#ofUser.delete(userId);
		} else {
			this.#ofUser.set(userId, count);
		}
	}
}
