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

	*newestFirst(): Generator<string> {
		for (let slot = this.#slots.length - 1; slot >= 0; slot--) {
			const id = this.#slots[slot];
			if (id !== undefined) {
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
