import type {Message} from '../../../domain/message.js';
import type {Source} from './change.js';
import type {Index} from './table.js';

/** What sources take on disk. */
export class Usage implements Index<Source> {
	readonly #bytesOf = new Sums<number>();
	#abandoned: string[] = [];
	#bytes = 0;

	/** Bytes of the journal that hold sources. */
	get bytes(): number {
		return this.#bytes;
	}

	/** Bytes of a segment that hold sources. */
	bytesIn(segment: number): number {
		return this.#bytesOf.of(segment);
	}

	/** The sources with a file of their own that have gone since the last call. */
	takeAbandoned(): readonly string[] {
		const taken = this.#abandoned;
		this.#abandoned = [];
		return taken;
	}

	update(before: Source | undefined, after: Source | undefined): void {
		this.#add(before, -1);
		this.#add(after, 1);
		if (before?.place === null && after === undefined) {
			this.#abandoned.push(before.id);
		}
	}

	#add(source: Source | undefined, sign: 1 | -1): void {
		if (source?.place) {
			const {segment, length} = source.place;
			this.#bytes += sign * length;
			this.#bytesOf.add(segment, sign * length);
		}
	}
}

/** How many messages each source has. */
export class References implements Index<Message> {
	readonly #counts = new Sums<string>();

	update(before: Message | undefined, after: Message | undefined): void {
		if (before?.sourceId === after?.sourceId) {
			return;
		}

		if (before) {
			this.#counts.add(before.sourceId, -1);
		}

		if (after) {
			this.#counts.add(after.sourceId, 1);
		}
	}

	has(sourceId: string): boolean {
		return this.#counts.of(sourceId) > 0;
	}
}

/** A sum for each key; keys whose sum is 0 take no memory. */
class Sums<Key> {
	readonly #sums = new Map<Key, number>();

	of(key: Key): number {
		return this.#sums.get(key) ?? 0;
	}

	add(key: Key, difference: number): void {
		const sum = this.of(key) + difference;
		if (sum === 0) {
			this.#sums.delete(key);
		} else {
			this.#sums.set(key, sum);
		}
	}
}
