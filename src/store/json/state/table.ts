/** Follows the rows of a table; a row that was added has no `before`, one that was removed no `after`. */
export type Index<Row> = {update(before: Row | undefined, after: Row | undefined): void};

type TableRules<Row> = {
	readonly indexes?: readonly Index<Row>[];
	/** The row as it is to be kept; undefined when it is passed over, since what it belongs to is gone. */
	readonly admit?: (row: Row) => Row | undefined;
	/** Whether what the row belongs to was deleted: then it is out of sight, and soon gone. */
	readonly isOrphan?: (row: Row) => boolean;
	/** Puts what belongs to a deleted row out of sight; what it hands back then removes it, a row at each step. */
	readonly removeDependents?: (row: Row) => Steps;
	/** Removes what a row needed that was removed. */
	readonly removed?: (row: Row) => void;
};

/** Rows by id, in the order they came. */
export class Table<Row extends {readonly id: string}> {
	readonly #rows = new Map<string, Row>();
	/** Deleted rows, while anything is there that belongs to them. */
	readonly #leaving = new Map<string, Row>();
	readonly #rules: TableRules<Row>;

	constructor(rules: TableRules<Row> = {}) {
		this.#rules = rules;
	}

	get(id: string): Row | undefined {
		const row = this.#rows.get(id);
		return row && this.#rules.isOrphan?.(row) ? undefined : row;
	}

	has(id: string): boolean {
		return this.get(id) !== undefined;
	}

	/** A row for as long as anything belongs to it, deleted or not. */
	last(id: string): Row | undefined {
		return this.#rows.get(id) ?? this.#leaving.get(id);
	}

	/** Whether the row was deleted, and something is still there that belongs to it. */
	isLeaving(id: string): boolean {
		return this.#leaving.has(id);
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
		const before = this.get(id);
		return before !== undefined && this.put({...before, ...patch});
	}

	/**
	 * Puts a row out of sight, with all that belongs to it; what it hands back then removes that, a row at each step. Undefined
	 * when there is no such row.
	 */
	delete(id: string): Steps | undefined {
		const row = this.#rows.get(id);
		if (row === undefined) {
			return undefined;
		}

		this.#rows.delete(id);
		this.#tell(row, undefined);
		this.#rules.removed?.(row);
		const {removeDependents} = this.#rules;
		if (!removeDependents) {
			return [];
		}

		this.#leaving.set(id, row);
		return this.#finish(id, removeDependents(row));
	}

	*#finish(id: string, steps: Steps): Steps {
		yield* steps;
		this.#leaving.delete(id);
	}

	#tell(before: Row | undefined, after: Row | undefined): void {
		for (const index of this.#rules.indexes ?? []) {
			index.update(before, after);
		}
	}
}

/** Work that is done step by step, as it is read. */
export type Steps = Iterable<unknown>;

export type Evicted = {readonly inboxId: string; readonly messageIds: readonly string[]};

/** What came of a change that was made as far as anybody can see it. */
export type Begun = {
	/** False when nothing was changed, because what it is about is gone. */
	readonly isEffective: boolean;
	/** The messages that it evicted, by inbox, the oldest first. */
	readonly evicted: readonly Evicted[];
	/** Removes what belongs to deleted rows. */
	readonly rest: Steps;
};

/** The works one after the other, each when those before it are done. */
export function* inTurn(works: readonly Steps[]): Steps {
	for (const steps of works) {
		yield* steps;
	}
}

/** Does all of it at once. */
export function finish(steps: Steps): void {
	for (const _ of steps) {
		// Reading is doing.
	}
}

/** The rows with these ids, in the same order. Skips ids without a row. */
export function rowsOf<Row extends {readonly id: string}>(table: Table<Row>, ids: Iterable<string>): Row[] {
	return [...ids].map(id => table.get(id)).filter(row => row !== undefined);
}
