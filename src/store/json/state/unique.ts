import type {Index} from './table.js';

/** The one row that has a certain value. */
export class Unique<Row> implements Index<Row> {
	readonly #rows = new Map<string, Row>();
	readonly #keyOf: (row: Row) => string;

	constructor(keyOf: (row: Row) => string) {
		this.#keyOf = keyOf;
	}

	update(before: Row | undefined, after: Row | undefined): void {
		if (before !== undefined) {
			this.#rows.delete(this.#keyOf(before));
		}

		if (after !== undefined) {
			this.#rows.set(this.#keyOf(after), after);
		}
	}

	get(value: string): Row | undefined {
		return this.#rows.get(value);
	}
}
