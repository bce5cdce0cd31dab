/** Follows the rows of a table; a row that was added has no `before`, one that was removed no `after`. */
export type Index<Row> = {update(before: Row | undefined, after: Row | undefined): void};

export type TableRules<Row> = {
	readonly indexes?: readonly Index<Row>[];
	/** The row as it is to be kept; undefined when it is passed over, since what it belongs to is gone. */
	readonly admit?: (row: Row) => Row | undefined;
	/** Removes what belongs to a row, before that goes. */
	readonly removeDependents?: (row: Row) => void;
	/** Removes what a row needed that was removed. */
	readonly removed?: (row: Row) => void;
};

/** Rows by id, in the order they came. */
export class Table<Row extends {readonly id: string}> {
	readonly #rows = new Map<string, Row>();
	readonly #rules: TableRules<Row>;

	constructor(rules: TableRules<Row> = {}) {
		this.#rules = rules;
	}

	get(id: string): Row | undefined {
		return this.#rows.get(id);
	}

	has(id: string): boolean {
		return this.#rows.has(id);
	}

	get size(): number {
		return this.#rows.size;
	}

	values(): IterableIterator<Row> {
		return this.#rows.values();
	}

	/** Adds or replaces; false when the row was passed over. */
	put(row: Row): boolean {
		const after = this.#rules.admit ? this.#rules.admit(row) : row;
		if (after === undefined) {
			return false;
		}

		const before = this.#rows.get(row.id);
		this.#rows.set(row.id, after);
		this.#tell(before, after);
		return true;
	}

	patch(id: string, patch: Partial<Row>): boolean {
		const before = this.#rows.get(id);
		return before !== undefined && this.put({...before, ...patch});
	}

	delete(id: string): boolean {
		const before = this.#rows.get(id);
		if (before === undefined) {
			return false;
		}

		this.#rules.removeDependents?.(before);
		this.#rows.delete(id);
		this.#tell(before, undefined);
		this.#rules.removed?.(before);
		return true;
	}

	#tell(before: Row | undefined, after: Row | undefined): void {
		for (const index of this.#rules.indexes ?? []) {
			index.update(before, after);
		}
	}
}
