import type {Source} from './change.js';
import type {Index} from './table.js';

/** What sources take on disk. */
export class Usage implements Index<Source> {
	readonly #bytesOf = new Map<number, number>();
	readonly #writtenTo = new Map<number, number>();
	#abandoned: string[] = [];
	#bytes = 0;

	/** Bytes of the journal that hold sources. */
	get bytes(): number {
		return this.#bytes;
	}

	/** Bytes of a segment that hold sources. */
	bytesIn(segment: number): number {
		return this.#bytesOf.get(segment) ?? 0;
	}

	/** Bytes of a segment that hold sources or once did, as far as they were seen since the start. */
	writtenTo(segment: number): number {
		return this.#writtenTo.get(segment) ?? 0;
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
		if (!source?.place) {
			return;
		}

		const {segment, length} = source.place;
		const bytes = this.bytesIn(segment) + sign * length;
		if (sign === 1) {
			this.#writtenTo.set(segment, this.writtenTo(segment) + length);
		}

		this.#bytes += sign * length;
		if (bytes === 0) {
			this.#bytesOf.delete(segment);
		} else {
			this.#bytesOf.set(segment, bytes);
		}
	}
}
