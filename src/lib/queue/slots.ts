/**
 * A number of places that several share. Each has some to itself, which nobody else takes; the rest is for whoever comes
 * first.
 */
export class Places {
	readonly #total: number;
	readonly #parts: PlacesPart[] = [];

	constructor(total: number) {
		this.#total = total;
	}

	/** For one who takes at most `max` places, of which `own` are kept free for it alone. */
	part(max: number, own: number): PlacesPart {
		const part = new PlacesPart(max, own, () => this.#left > 0);
		this.#parts.push(part);
		return part;
	}

	get #left(): number {
		return this.#parts.reduce((left, {reserved}) => left - reserved, this.#total);
	}
}

/** The places of one of those who share. */
export class PlacesPart {
	readonly #max: number;
	readonly #own: number;
	readonly #isAnyLeft: () => boolean;
	#taken = 0;

	constructor(max: number, own: number, isAnyLeft: () => boolean) {
		this.#max = max;
		this.#own = Math.min(max, own);
		this.#isAnyLeft = isAnyLeft;
	}

	/** What nobody else can have. */
	get reserved(): number {
		return Math.max(this.#taken, this.#own);
	}

	/** Takes a place; false when there is none. */
	take(): boolean {
		const isFree = this.#taken < this.#max && (this.#taken < this.#own || this.#isAnyLeft());
		this.#taken += isFree ? 1 : 0;
		return isFree;
	}

	giveBack(): void {
		this.#taken--;
	}
}
