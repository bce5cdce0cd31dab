/** How many ids are in a block: few enough for one to be copied, and enough to pass over very many at once. */
const maxPerBlock = 512;

/** Ids that came one after another. */
type Block = {
	readonly ids: string[];
	/** Of each id. */
	readonly places: number[];
	/** Of all that ever were in it: times, and ids. */
	earliest: string;
	latest: string;
	least: string;
	greatest: string;
};

/** Ids that stand next to each other in a timeline. */
export type TimelinePart = {
	readonly length: number;
	/** None of them has an earlier time, and none a later one. */
	readonly earliest: string;
	readonly latest: string;
	/** A copy; to be made before ids come or go. */
	newestFirst(): readonly string[];
};

/** Ids below another one, of those that stand next to each other in a timeline. */
export type PartBelow = {
	/** None of them is greater, and none has a later time. */
	readonly greatest: string;
	readonly latest: string;
	/** A copy of those that are there by now, in order: the greatest last. */
	sorted(): string[];
};

/** Ids in the order they came, which their places tell: each has a greater one than all before it. Times may be in another order. */
export class Timeline {
	readonly #blocks: Block[] = [];
	readonly #places = new Map<string, number>();

	get size(): number {
		return this.#places.size;
	}

	/** Where the id stands. Of one that has gone it is told from those that are there, as if ids grew. */
	placeOf(id: string): number {
		const known = this.#places.get(id);
		if (known !== undefined) {
			return known;
		}

		const block = this.#blocks[countWhile(this.#blocks, ({ids: [first = '']}) => first <= id) - 1];
		return block?.places[countWhile(block.ids, other => other <= id) - 1] ?? 0;
	}

	/** Passes over an id that is there. */
	add(id: string, place: number, at: string): void {
		if (this.#places.has(id)) {
			return;
		}

		this.#places.set(id, place);
		let block = this.#blocks.at(-1);
		if (block === undefined || block.ids.length === maxPerBlock) {
			block = {ids: [], places: [], earliest: at, latest: at, least: id, greatest: id};
			this.#blocks.push(block);
		}

		block.ids.push(id);
		block.places.push(place);
		block.earliest = at < block.earliest ? at : block.earliest;
		block.latest = at > block.latest ? at : block.latest;
		block.least = id < block.least ? id : block.least;
		block.greatest = id > block.greatest ? id : block.greatest;
	}

	remove(id: string): void {
		const place = this.#places.get(id);
		const index = place === undefined ? -1 : this.#countUntil(place) - 1;
		const block = this.#blocks[index];
		if (place === undefined || block === undefined) {
			return;
		}

		this.#places.delete(id);
		const at = countWhile(block.places, other => other < place);
		block.ids.splice(at, 1);
		block.places.splice(at, 1);
		if (block.ids.length === 0) {
			this.#blocks.splice(index, 1);
		}
	}

	/** Must be read to its end, or copied, before ids come or go. */
	*oldestFirst(): Generator<string> {
		for (const {ids} of this.#blocks) {
			yield* ids;
		}
	}

	/**
	 * All that stand behind a place, and before an id if one is given, from the newest on. Ids may come and go while it is
	 * read: what has been there all the time is read once, what comes is not read.
	 */
	*parts(after = 0, before?: string): Generator<TimelinePart> {
		let end = before === undefined ? (this.#blocks.at(-1)?.places.at(-1) ?? 0) : this.#placeBefore(before);
		while (end > after) {
			const block = this.#blocks[this.#countUntil(end) - 1];
			if (block === undefined) {
				return;
			}

			const {ids, places, earliest, latest} = block;
			const from = countWhile(places, place => place <= after);
			const to = countWhile(places, place => place <= end);
			end = (places[0] ?? 0) - 1;
			if (from < to) {
				yield {length: to - from, earliest, latest, newestFirst: () => ids.slice(from, to).reverse()};
			}
		}
	}

	/** All ids less than this one, whatever order they came in. */
	below(id: string): readonly PartBelow[] {
		return this.#blocks
			.filter(({least}) => least < id)
			.map(({ids, latest, greatest}) => ({
				greatest: greatest < id ? greatest : id,
				latest,
				sorted: () => ids.filter(other => other < id && other <= greatest).sort(),
			}));
	}

	/** The last place before that of the id; of one that has gone it is told as by `placeOf`. */
	#placeBefore(id: string): number {
		return this.#places.has(id) ? this.placeOf(id) - 1 : this.placeOf(id);
	}

	/** How many blocks begin at this place or before. */
	#countUntil(place: number): number {
		return countWhile(this.#blocks, ({places: [first = 0]}) => first <= place);
	}
}

/** How many at the beginning of the list it holds for, when it holds for none behind them. */
function countWhile<T>(list: readonly T[], holds: (item: T) => boolean): number {
	let low = 0;
	let high = list.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (holds(list[middle] as T)) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}

	return low;
}
