/** Maximum number of ids in a block: cheap to copy, and large enough to skip very many ids quickly. */
const maxBlockLength = 512;

/** Consecutive ids. */
type Block = {
	readonly ids: string[];
	/** Position of each id. */
	readonly positions: number[];
	/** Bounds of the times and ids that were ever in the block. */
	earliest: string;
	latest: string;
	least: string;
	greatest: string;
};

/** Consecutive ids of a timeline. */
export type TimelineBlock = {
	readonly length: number;
	/** Bounds of their times. */
	readonly earliest: string;
	readonly latest: string;
	/** Returns a copy. Call it before the timeline changes. */
	newestFirst(): readonly string[];
};

/** Consecutive ids of a timeline that are less than another id. */
export type IdsBelow = {
	/** Upper bounds of the ids and of their times. */
	readonly greatest: string;
	readonly latest: string;
	/** Returns a copy of the present ids in ascending order. */
	sorted(): string[];
};

/** Ids in order of insertion, with increasing positions. Their times may be in another order. */
export class Timeline {
	readonly #blocks: Block[] = [];
	readonly #positions = new Map<string, number>();

	get size(): number {
		return this.#positions.size;
	}

	/** Position of an id. For a removed one, the position of the last id before it, assuming that ids increase. */
	positionOf(id: string): number {
		const position = this.#positions.get(id);
		if (position !== undefined) {
			return position;
		}

		const block = this.#blocks[partitionPoint(this.#blocks, ({ids: [first = '']}) => first <= id) - 1];
		return block?.positions[partitionPoint(block.ids, other => other <= id) - 1] ?? 0;
	}

	/** Adds an id with a position greater than all others. Ignores an id that is contained. */
	add(id: string, position: number, at: string): void {
		if (this.#positions.has(id)) {
			return;
		}

		this.#positions.set(id, position);
		let block = this.#blocks.at(-1);
		if (block === undefined || block.ids.length === maxBlockLength) {
			block = {ids: [], positions: [], earliest: at, latest: at, least: id, greatest: id};
			this.#blocks.push(block);
		}

		block.ids.push(id);
		block.positions.push(position);
		block.earliest = at < block.earliest ? at : block.earliest;
		block.latest = at > block.latest ? at : block.latest;
		block.least = id < block.least ? id : block.least;
		block.greatest = id > block.greatest ? id : block.greatest;
	}

	remove(id: string): void {
		const position = this.#positions.get(id);
		const index = position === undefined ? -1 : this.#blocksUntil(position) - 1;
		const block = this.#blocks[index];
		if (position === undefined || block === undefined) {
			return;
		}

		this.#positions.delete(id);
		const at = partitionPoint(block.positions, other => other < position);
		block.ids.splice(at, 1);
		block.positions.splice(at, 1);
		if (block.ids.length === 0) {
			this.#blocks.splice(index, 1);
		}
	}

	/** All ids. Iterate before the timeline changes. */
	*oldestFirst(): Generator<string> {
		for (const {ids} of this.#blocks) {
			yield* ids;
		}
	}

	/**
	 * Blocks of the ids after a position and before an id, newest first. The timeline may change during the iteration: ids that
	 * are contained throughout are returned once, added ones are not returned.
	 */
	*blocks(after = 0, before?: string): Generator<TimelineBlock> {
		let end = before === undefined ? (this.#blocks.at(-1)?.positions.at(-1) ?? 0) : this.#positionBefore(before);
		while (end > after) {
			const block = this.#blocks[this.#blocksUntil(end) - 1];
			if (block === undefined) {
				return;
			}

			const {ids, positions, earliest, latest} = block;
			const from = partitionPoint(positions, position => position <= after);
			const to = partitionPoint(positions, position => position <= end);
			end = (positions[0] ?? 0) - 1;
			if (from < to) {
				yield {length: to - from, earliest, latest, newestFirst: () => ids.slice(from, to).reverse()};
			}
		}
	}

	/** All ids less than `id`, in any order of insertion. */
	below(id: string): readonly IdsBelow[] {
		return this.#blocks
			.filter(({least}) => least < id)
			.map(({ids, latest, greatest}) => ({
				greatest: greatest < id ? greatest : id,
				latest,
				sorted: () => ids.filter(other => other < id && other <= greatest).sort(),
			}));
	}

	/** Last position before an id, which may be removed. */
	#positionBefore(id: string): number {
		return this.#positions.has(id) ? this.positionOf(id) - 1 : this.positionOf(id);
	}

	/** Number of blocks that start at a position or before. */
	#blocksUntil(position: number): number {
		return partitionPoint(this.#blocks, ({positions: [first = 0]}) => first <= position);
	}
}

/** Number of leading items that satisfy a predicate, by binary search. No item after them may satisfy it. */
export function partitionPoint<T>(list: readonly T[], predicate: (item: T) => boolean): number {
	let low = 0;
	let high = list.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (predicate(list[middle] as T)) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}

	return low;
}
