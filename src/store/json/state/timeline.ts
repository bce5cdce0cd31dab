/** Ids in the order they came, read from the newest. One that goes leaves a gap; gaps are closed when they are many. */
export class Timeline {
	#slots: (string | undefined)[] = [];
	readonly #slotOf = new Map<string, number>();

	get size(): number {
		return this.#slotOf.size;
	}

	add(id: string): void {
		if (!this.#slotOf.has(id)) {
			this.#slotOf.set(id, this.#slots.length);
			this.#slots.push(id);
		}
	}

	remove(id: string): void {
		const slot = this.#slotOf.get(id);
		if (slot === undefined) {
			return;
		}

		this.#slotOf.delete(id);
		this.#slots[slot] = undefined;
		if (this.#slots.length > 2 * this.size + 16) {
			this.#closeGaps();
		}
	}

	/** Without the newest `skip`; where there are no gaps, these cost nothing. */
	*newestFirst(skip = 0): Generator<string> {
		const hasGaps = this.#slots.length > this.size;
		let toSkip = hasGaps ? skip : 0;
		for (let slot = this.#slots.length - 1 - (skip - toSkip); slot >= 0; slot--) {
			const id = this.#slots[slot];
			if (id !== undefined && toSkip-- <= 0) {
				yield id;
			}
		}
	}

	#closeGaps(): void {
		this.#slots = [...this.#slotOf.keys()];
		for (const [slot, id] of this.#slots.entries()) {
			if (id !== undefined) {
				this.#slotOf.set(id, slot);
			}
		}
	}
}
