import type {Journal} from './journal.js';
import type {Usage} from './state/usage.js';

/** What is in the segments of the journal besides sources that live: rows, and what was deleted or written again. */
export class Waste {
	readonly #journal: Journal;
	readonly #usage: Usage;
	readonly #stuck = new Set<number>();

	constructor(journal: Journal, usage: Usage) {
		this.#journal = journal;
		this.#usage = usage;
	}

	/** Bytes of segments in which nothing lives: a snapshot gives them back. */
	get deadBytes(): number {
		return this.#sum(this.segments(0));
	}

	/** Bytes of rows and deletes, in the segments from that number on. */
	rowBytesFrom(first: number): number {
		let bytes = 0;
		for (const [number, size] of this.#journal.sizes) {
			bytes += number >= first ? size - this.#usage.writtenTo(number) : 0;
		}

		return bytes;
	}

	/** Bytes that emptying segments can give back; of those of which at most such a share lives. */
	bytesIn(share = 1): number {
		return this.#sum(this.segments(share));
	}

	/** The segments of which at most such a share lives. */
	segments(share: number): number[] {
		return [...this.#journal.sizes]
			.filter(([number, size]) => !this.#stuck.has(number) && this.#usage.bytesIn(number) <= share * size)
			.map(([number]) => number);
	}

	/** Counts a segment no longer: it has a source that cannot be read, and stays as it is. */
	leave(segment: number): void {
		this.#stuck.add(segment);
	}

	#sum(numbers: readonly number[]): number {
		let bytes = 0;
		for (const number of numbers) {
			bytes += (this.#journal.sizes.get(number) ?? 0) - this.#usage.bytesIn(number);
		}

		return bytes;
	}
}
