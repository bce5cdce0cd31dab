/** Fixed number of slots that parts of the daemon share. Each part has reserved slots; the rest is first come, first served. */
export class SlotPool {
	readonly #total: number;
	readonly #shares: SlotShare[] = [];

	constructor(total: number) {
		this.#total = total;
	}

	/** Share of a part that takes at most `max` slots, of which `reserved` are never given to others. */
	share(max: number, reserved: number): SlotShare {
		const share = new SlotShare(max, reserved, () => this.#free > 0);
		this.#shares.push(share);
		return share;
	}

	get #free(): number {
		return this.#shares.reduce((free, {unavailable}) => free - unavailable, this.#total);
	}
}

/** Share of one part of a `SlotPool`. */
export class SlotShare {
	readonly #max: number;
	readonly #reserved: number;
	readonly #hasFree: () => boolean;
	#taken = 0;

	constructor(max: number, reserved: number, hasFree: () => boolean) {
		this.#max = max;
		this.#reserved = Math.min(max, reserved);
		this.#hasFree = hasFree;
	}

	/** Number of slots that others cannot take. */
	get unavailable(): number {
		return Math.max(this.#taken, this.#reserved);
	}

	/** Takes a slot; false if there is none. */
	tryAcquire(): boolean {
		const isFree = this.#taken < this.#max && (this.#taken < this.#reserved || this.#hasFree());
		this.#taken += isFree ? 1 : 0;
		return isFree;
	}

	release(): void {
		this.#taken--;
	}
}
