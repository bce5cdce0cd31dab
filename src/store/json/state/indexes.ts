import type {Index} from './table.js';
import {type PartBelow, Timeline, type TimelinePart} from './timeline.js';

const none: readonly never[] = [];

/** The rows that have a certain value, which are few: each change makes another array of them. */
export class Lists<Row extends {readonly id: string}> implements Index<Row> {
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

	/** By value, oldest first. */
	entries(): Iterable<readonly [string, readonly Row[]]> {
		return this.#rows;
	}

	/** Oldest first. */
	all(value: string): readonly Row[] {
		return this.#rows.get(value) ?? none;
	}

	#keep(value: string, rows: readonly Row[]): void {
		if (rows.length === 0) {
			this.#rows.delete(value);
		} else {
			this.#rows.set(value, rows);
		}
	}
}

/** The one row that has a certain value. Where an older version let in several, the first counts until it goes. */
export class Unique<Row extends {readonly id: string}> extends Lists<Row> {
	get(value: string): Row | undefined {
		return this.all(value)[0];
	}
}

/** The ids of rows by what they belong to, in the order they came. */
export class Groups<Row extends {readonly id: string}> implements Index<Row> {
	readonly #groups = new Map<string, Timeline>();
	readonly #keysOf: (row: Row) => readonly string[];
	readonly #timeOf: (row: Row) => string;
	/** The place of what came last, in any group: places stay what they are when groups go and come. */
	#last = 0;

	constructor(keysOf: (row: Row) => readonly string[], timeOf: (row: Row) => string = () => '') {
		this.#keysOf = keysOf;
		this.#timeOf = timeOf;
	}

	/** Behind this place stands all that is to come. */
	get last(): number {
		return this.#last;
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
			group.add(id, ++this.#last, after ? this.#timeOf(after) : '');
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

	/** Ids may come and go while it is read. */
	*newestFirst(key: string): Generator<string> {
		for (const part of this.parts(key)) {
			yield* part.newestFirst();
		}
	}

	/** As those of a `Timeline`. */
	parts(key: string, after?: number, before?: string): Iterable<TimelinePart> {
		return this.#groups.get(key)?.parts(after, before) ?? [];
	}

	/** As that of a `Timeline`. */
	below(key: string, id: string): readonly PartBelow[] {
		return this.#groups.get(key)?.below(id) ?? none;
	}

	/** As that of a `Timeline`; 0 in a group of none. */
	placeOf(key: string, id: string): number {
		return this.#groups.get(key)?.placeOf(id) ?? 0;
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
