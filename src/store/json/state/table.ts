import type {Steps} from './steps.js';

/** Follows the rows of a table; a row that was added has no `before`, one that was removed no `after`. */
export type Index<Row> = {update(before: Row | undefined, after: Row | undefined): void};

export type TableRules<Row> = {
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
