/** Work in small steps: each iteration does one of them. */
export type Steps = Iterable<unknown>;

/** Ids of messages that an inbox evicted, oldest first. */
export type EvictedMessages = {readonly inboxId: string; readonly messageIds: readonly string[]};

/** A change whose visible effect is applied. */
export type StartedChange = {
	/** False if nothing changed, since the rows of the change were deleted. */
	readonly isEffective: boolean;
	/** Messages evicted by the change. */
	readonly evicted: readonly EvictedMessages[];
	/** Removes the dependent rows of deleted rows. */
	readonly rest: Steps;
};

/** An index of a table. An added row has no `before`, a removed one no `after`. */
export type RowIndex<Row> = {update(before: Row | undefined, after: Row | undefined): void};

/** Indexes of a table, and its relations to other tables. */
type TableRules<Row> = {
	readonly indexes?: readonly RowIndex<Row>[];
	/** Returns the row to store, or undefined to drop it because the row that it belongs to does not exist. */
	readonly admit?: (row: Row) => Row | undefined;
	/** True if the row that this one belongs to is being deleted. Then this row is invisible. */
	readonly isOrphan?: (row: Row) => boolean;
	/** Hides the dependent rows of a deleted row. Returns the steps that remove them. */
	readonly removeDependents?: (row: Row) => Steps;
	/** Called after a row was removed. */
	readonly onRemoved?: (row: Row) => void;
};

/** Rows by id, in order of insertion. */
export class Table<Row extends {readonly id: string}> {
	readonly #rows = new Map<string, Row>();
	/** Deleted rows that still have dependent rows. */
	readonly #beingDeleted = new Map<string, Row>();
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

	/** The row, also a deleted one that still has dependent rows. */
	getRetained(id: string): Row | undefined {
		return this.#rows.get(id) ?? this.#beingDeleted.get(id);
	}

	/** True if the row was deleted and still has dependent rows. */
	isBeingDeleted(id: string): boolean {
		return this.#beingDeleted.has(id);
	}

	get size(): number {
		return this.#rows.size;
	}

	values(): IterableIterator<Row> {
		return this.#rows.values();
	}

	/** Adds or replaces a row; false if it was dropped. */
	put(row: Row): boolean {
		const after = this.#rules.admit ? this.#rules.admit(row) : row;
		if (after === undefined) {
			return false;
		}

		const before = this.#rows.get(row.id);
		this.#rows.set(row.id, after);
		this.#updateIndexes(before, after);
		return true;
	}

	/** Changes fields of a row; false if it does not exist. */
	patch(id: string, patch: Partial<Row>): boolean {
		const before = this.get(id);
		return before !== undefined && this.put({...before, ...patch});
	}

	/** Hides a row and its dependent rows. Returns the steps that remove the dependent rows; undefined if there is no such row. */
	delete(id: string): Steps | undefined {
		const row = this.#rows.get(id);
		if (row === undefined) {
			return undefined;
		}

		this.#rows.delete(id);
		this.#updateIndexes(row, undefined);
		this.#rules.onRemoved?.(row);
		const {removeDependents} = this.#rules;
		if (!removeDependents) {
			return [];
		}

		this.#beingDeleted.set(id, row);
		return this.#finishDelete(id, removeDependents(row));
	}

	*#finishDelete(id: string, steps: Steps): Steps {
		yield* steps;
		this.#beingDeleted.delete(id);
	}

	#updateIndexes(before: Row | undefined, after: Row | undefined): void {
		for (const index of this.#rules.indexes ?? []) {
			index.update(before, after);
		}
	}
}

/** The rows with these ids, in the same order. Skips ids without a row. */
export function rowsOf<Row extends {readonly id: string}>(table: Table<Row>, ids: Iterable<string>): Row[] {
	return [...ids].map(id => table.get(id)).filter(row => row !== undefined);
}

/** The next `count` items after the first `skip`. Reads no further. */
export function slice<T>(items: Iterable<T>, skip: number, count: number): T[] {
	const [first = []] = batches(items, count, skip);
	return first;
}

/** Items in batches of `size`, without the first `skip`. Reads lazily. */
export function* batches<T>(items: Iterable<T>, size: number, skip = 0): Generator<T[]> {
	let toSkip = skip;
	let batch: T[] = [];
	for (const item of items) {
		if (toSkip-- <= 0 && batch.push(item) === size) {
			yield batch;
			batch = [];
		}
	}

	if (batch.length > 0) {
		yield batch;
	}
}

/** Runs several works one after the other. */
export function* concat(works: readonly Steps[]): Steps {
	for (const steps of works) {
		yield* steps;
	}
}

/** Runs all steps at once. */
export function runAll(steps: Steps): void {
	for (const _ of steps) {
		// The iteration does the work.
	}
}
