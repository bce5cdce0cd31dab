import type {Index} from './table.js';

/** The one row that has a certain value. Where an older version let in several, the first counts until it goes. */
export class Unique<Row extends {readonly id: string}> implements Index<Row> {
	readonly #rows = new Map<string, readonly Row[]>();
	readonly #keyOf: (row: Row) => string;

	constructor(keyOf: (row: Row) => string) {
		this.#keyOf = keyOf;
	}

	update(before: Row | undefined, after: Row | undefined): void {
		const [from, to] = [before && this.#keyOf(before), after && this.#keyOf(after)];
		if (before && from !== undefined && from !== to) {
			this.#keep(
				from,
				this.all(from).filter(({id}) => id !== before.id),
			);
		}

		if (after && to !== undefined) {
			const rows = this.all(to);
			const isThere = from === to;
			this.#keep(to, isThere ? rows.map(row => (row.id === after.id ? after : row)) : [...rows, after]);
		}
	}

	get(value: string): Row | undefined {
		return this.#rows.get(value)?.[0];
	}

	/** By value, oldest first. */
	entries(): Iterable<readonly [string, readonly Row[]]> {
		return this.#rows;
	}

	/** Oldest first. */
	all(value: string): readonly Row[] {
		return this.#rows.get(value) ?? [];
	}

	#keep(value: string, rows: readonly Row[]): void {
		if (rows.length === 0) {
			this.#rows.delete(value);
		} else {
			this.#rows.set(value, rows);
		}
	}
}

/** The ids of rows by what they belong to. */
export class Groups<Row extends {readonly id: string}> implements Index<Row> {
	readonly #groups = new Map<string, Timeline>();
	readonly #keysOf: (row: Row) => readonly string[];

	constructor(keysOf: (row: Row) => readonly string[]) {
		this.#keysOf = keysOf;
	}

	update(before: Row | undefined, after: Row | undefined): void {
		const id = (after ?? before)?.id ?? '';
		const keys = after ? this.#keysOf(after) : [];
		for (const key of before ? this.#keysOf(before) : []) {
			if (!keys.includes(key)) {
				this.#leave(key, id);
			}
		}

		for (const key of keys) {
			const group = this.#groups.get(key) ?? new Timeline();
			group.add(id);
			this.#groups.set(key, group);
		}
	}

	sizeOf(key: string): number {
		return this.#groups.get(key)?.size ?? 0;
	}

	/** Must be read to its end, or copied, before rows change. */
	oldestFirst(key: string): Iterable<string> {
		return this.#groups.get(key)?.oldestFirst() ?? [];
	}

	/** Without the newest `skip`. To be read as `oldestFirst` is. */
	newestFirst(key: string, skip = 0): Iterable<string> {
		return this.#groups.get(key)?.newestFirst(skip) ?? [];
	}

	#leave(key: string, id: string): void {
		const group = this.#groups.get(key);
		group?.remove(id);
		if (group?.size === 0) {
			this.#groups.delete(key);
		}
	}
}

/** Sums over rows, by what they belong to; keys whose sum is 0 take no memory. */
export class Sums<Row, Key> implements Index<Row> {
	readonly #sums = new Map<Key, number>();
	#total = 0;
	readonly #amountOf: (row: Row) => readonly [key: Key, amount: number] | null;

	/** `amountOf`: what a row adds, and to which sum; null for nothing. */
	constructor(amountOf: (row: Row) => readonly [key: Key, amount: number] | null) {
		this.#amountOf = amountOf;
	}

	/** The sum of all sums. */
	get total(): number {
		return this.#total;
	}

	update(before: Row | undefined, after: Row | undefined): void {
		this.#add(before, -1);
		this.#add(after, 1);
	}

	of(key: Key): number {
		return this.#sums.get(key) ?? 0;
	}

	#add(row: Row | undefined, sign: 1 | -1): void {
		const share = row && this.#amountOf(row);
		if (!share) {
			return;
		}

		const [key, amount] = share;
		this.#total += sign * amount;
		const sum = this.of(key) + sign * amount;
		if (sum === 0) {
			this.#sums.delete(key);
		} else {
			this.#sums.set(key, sum);
		}
	}
}

/** Ids in the order they came, read from either end. One that goes leaves a gap; gaps are closed when they are many. */
class Timeline {
	#slots: (string | undefined)[] = [];
	readonly #slotOf = new Map<string, number>();

	get size(): number {
		return this.#slotOf.size;
	}

	add(id: string): void {
		if (!this.#slotOf.has(id)) {
			this.#slotOf.set(id, this.#slots.length);
			this.#slots.push(id);
		}
	}

	remove(id: string): void {
		const slot = this.#slotOf.get(id);
		if (slot === undefined) {
			return;
		}

		this.#slotOf.delete(id);
		this.#slots[slot] = undefined;
		if (this.#slots.length > 2 * this.size + 16) {
			this.#closeGaps();
		}
	}

	oldestFirst(): Iterable<string> {
		return this.#slotOf.keys();
	}

	/** Without the newest `skip`; where there are no gaps, these cost nothing. */
	*newestFirst(skip = 0): Generator<string> {
		const hasGaps = this.#slots.length > this.size;
		let toSkip = hasGaps ? skip : 0;
		for (let slot = this.#slots.length - 1 - (skip - toSkip); slot >= 0; slot--) {
			const id = this.#slots[slot];
			if (id !== undefined && toSkip-- <= 0) {
				yield id;
			}
		}
	}

	#closeGaps(): void {
		this.#slots = [...this.#slotOf.keys()];
		for (const [slot, id] of this.#slots.entries()) {
			if (id !== undefined) {
				this.#slotOf.set(id, slot);
			}
		}
	}
}
