import type {Index} from './table.js';

/** What is to happen at a time (ISO 8601). */
export type AgendaEntry = {readonly at: string; readonly id: string};

/** Ids of rows by the time (ISO 8601) at which something is to happen with them, soonest first. */
export class Agenda<Row extends {readonly id: string}> implements Index<Row> {
	readonly #entries: AgendaEntry[] = [];
	readonly #timeOf: (row: Row) => string | null;

	constructor(timeOf: (row: Row) => string | null) {
		this.#timeOf = timeOf;
	}

	get size(): number {
		return this.#entries.length;
	}

	get first(): AgendaEntry | undefined {
		return this.#entries[0];
	}

	update(before: Row | undefined, after: Row | undefined): void {
		const was = before && this.#timeOf(before);
		const at = after && this.#timeOf(after);
		if (before && was && was !== at) {
			this.#entries.splice(this.#placeOf({at: was, id: before.id}), 1);
		}

		if (after && at && was !== at) {
			this.#entries.splice(this.#placeOf({at, id: after.id}), 0, {at, id: after.id});
		}
	}

	/** The ids of what is to happen until then. Must be read to its end, or copied, before rows change. */
	*until(now: string): Generator<string> {
		for (const entry of this.#entries) {
			if (entry.at > now) {
				return;
			}

			yield entry.id;
		}
	}

	/** From the last entry back, without the last `skip`. To be read as `until` is. */
	*latest(skip = 0): Generator<AgendaEntry> {
		for (let place = this.#entries.length - 1 - skip; place >= 0; place--) {
			const entry = this.#entries[place];
			if (entry) {
				yield entry;
			}
		}
	}

	/** The first time of all, or the first one later than `after`. */
	next(after = ''): string | undefined {
		return this.#entries[this.#placeOf({at: after, id: '\u{10FFFF}'})]?.at;
	}

	/** Where the entry stands, or would stand. */
	#placeOf(entry: AgendaEntry): number {
		let low = 0;
		let high = this.#entries.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			const other = this.#entries[middle];
			if (other !== undefined && (other.at < entry.at || (other.at === entry.at && other.id < entry.id))) {
				low = middle + 1;
			} else {
				high = middle;
			}
		}

		return low;
	}
}
