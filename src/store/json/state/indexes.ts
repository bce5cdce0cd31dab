import type {RowIndex} from './table.js';
import {type IdsBelow, partitionPoint, Timeline, type TimelineBlock} from './timeline.js';

const none: readonly never[] = [];

/** Rows by key, oldest first. For small groups: each change creates a new array. */
export class GroupedRows<Row extends {readonly id: string}> implements RowIndex<Row> {
	readonly #rows = new Map<string, readonly Row[]>();
	readonly #keyOf: (row: Row) => string;

	constructor(keyOf: (row: Row) => string) {
		this.#keyOf = keyOf;
	}

	update(before: Row | undefined, after: Row | undefined): void {
		const [from, to] = [before && this.#keyOf(before), after && this.#keyOf(after)];
		if (before && from !== undefined && from !== to) {
			this.#set(
				from,
				this.all(from).filter(({id}) => id !== before.id),
			);
		}

		if (after && to !== undefined) {
			const rows = this.all(to);
			this.#set(to, from === to ? rows.map(row => (row.id === after.id ? after : row)) : [...rows, after]);
		}
	}

	/** Returns the same array until a row of the key changes. */
	all(key: string): readonly Row[] {
		return this.#rows.get(key) ?? none;
	}

	#set(key: string, rows: readonly Row[]): void {
		if (rows.length === 0) {
			this.#rows.delete(key);
		} else {
			this.#rows.set(key, rows);
		}
	}
}

/** The row with a unique key. If damage to the journal left several, the oldest counts. */
export class UniqueIndex<Row extends {readonly id: string}> extends GroupedRows<Row> {
	get(key: string): Row | undefined {
		return this.all(key)[0];
	}
}

/** Ids of rows by keys, in order of insertion. */
export class GroupedIds<Row extends {readonly id: string}> implements RowIndex<Row> {
	readonly #groups = new Map<string, Timeline>();
	readonly #keysOf: (row: Row) => readonly string[];
	readonly #timeOf: (row: Row) => string;
	/** Position of the last inserted id. Positions are unique across groups, and stay valid if a group is removed and created again. */
	#lastPosition = 0;

	constructor(keysOf: (row: Row) => readonly string[], timeOf: (row: Row) => string = () => '') {
		this.#keysOf = keysOf;
		this.#timeOf = timeOf;
	}

	/** Position of the last inserted id, in any group. */
	get lastPosition(): number {
		return this.#lastPosition;
	}

	update(before: Row | undefined, after: Row | undefined): void {
		const id = (after ?? before)?.id ?? '';
		const keys = after ? this.#keysOf(after) : [];
		for (const key of before ? this.#keysOf(before) : []) {
			if (!keys.includes(key)) {
				this.#remove(key, id);
			}
		}

		for (const key of keys) {
			const group = this.#groups.get(key) ?? new Timeline();
			group.add(id, ++this.#lastPosition, after ? this.#timeOf(after) : '');
			this.#groups.set(key, group);
		}
	}

	sizeOf(key: string): number {
		return this.#groups.get(key)?.size ?? 0;
	}

	/** Ids of a key. Iterate before rows change. */
	oldestFirst(key: string): Iterable<string> {
		return this.#groups.get(key)?.oldestFirst() ?? [];
	}

	/** Ids of a key. Rows may change during the iteration. */
	*newestFirst(key: string): Generator<string> {
		for (const block of this.blocks(key)) {
			yield* block.newestFirst();
		}
	}

	/** Blocks of a key; see `Timeline.blocks`. */
	blocks(key: string, after?: number, before?: string): Iterable<TimelineBlock> {
		return this.#groups.get(key)?.blocks(after, before) ?? [];
	}

	/** Ids of a key below an id; see `Timeline.below`. */
	below(key: string, id: string): readonly IdsBelow[] {
		return this.#groups.get(key)?.below(id) ?? none;
	}

	/** Position of an id; see `Timeline.positionOf`. 0 for a key without ids. */
	positionOf(key: string, id: string): number {
		return this.#groups.get(key)?.positionOf(id) ?? 0;
	}

	#remove(key: string, id: string): void {
		const group = this.#groups.get(key);
		group?.remove(id);
		if (group?.size === 0) {
			this.#groups.delete(key);
		}
	}
}

/** Sums of an amount over rows, by key. Sums of 0 take no memory. */
export class SumIndex<Row, Key> implements RowIndex<Row> {
	readonly #sums = new Map<Key, number>();
	#total = 0;
	readonly #amountOf: (row: Row) => readonly [key: Key, amount: number] | null;

	/** `amountOf`: key and amount of a row; null if it does not count. */
	constructor(amountOf: (row: Row) => readonly [key: Key, amount: number] | null) {
		this.#amountOf = amountOf;
	}

	/** Sum over all keys. */
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

	/** Keys with their sums. */
	entries(): Iterable<readonly [Key, number]> {
		return this.#sums;
	}

	#add(row: Row | undefined, sign: 1 | -1): void {
		const entry = row && this.#amountOf(row);
		if (!entry) {
			return;
		}

		const [key, amount] = entry;
		this.#total += sign * amount;
		const sum = this.of(key) + sign * amount;
		if (sum === 0) {
			this.#sums.delete(key);
		} else {
			this.#sums.set(key, sum);
		}
	}
}

/** An id with a time (ISO 8601). */
export type TimeEntry = {readonly at: string; readonly id: string};

/** Ids of rows by a time (ISO 8601), soonest first. Rows without a time are not contained. */
export class TimeIndex<Row extends {readonly id: string}> implements RowIndex<Row> {
	readonly #entries: TimeEntry[] = [];
	readonly #timeOf: (row: Row) => string | null;

	constructor(timeOf: (row: Row) => string | null) {
		this.#timeOf = timeOf;
	}

	get size(): number {
		return this.#entries.length;
	}

	get first(): TimeEntry | undefined {
		return this.#entries[0];
	}

	update(before: Row | undefined, after: Row | undefined): void {
		const oldTime = before && this.#timeOf(before);
		const newTime = after && this.#timeOf(after);
		if (before && oldTime && oldTime !== newTime) {
			this.#entries.splice(this.#indexOf({at: oldTime, id: before.id}), 1);
		}

		if (after && newTime && oldTime !== newTime) {
			this.#entries.splice(this.#indexOf({at: newTime, id: after.id}), 0, {at: newTime, id: after.id});
		}
	}

	/** Ids with a time up to `now`. Iterate before rows change. */
	*until(now: string): Generator<string> {
		for (const entry of this.#entries) {
			if (entry.at > now) {
				return;
			}

			yield entry.id;
		}
	}

	/** Entries in descending order, without the first `skip`. Iterate before rows change. */
	*latest(skip = 0): Generator<TimeEntry> {
		for (let index = this.#entries.length - 1 - skip; index >= 0; index--) {
			const entry = this.#entries[index];
			if (entry) {
				yield entry;
			}
		}
	}

	/** The first time after `after`. */
	next(after = ''): string | undefined {
		return this.#entries[this.#indexOf({at: after, id: '\u{10FFFF}'})]?.at;
	}

	/** Index of an entry, or of its place if it is not contained. */
	#indexOf(entry: TimeEntry): number {
		return partitionPoint(this.#entries, ({at, id}) => at < entry.at || (at === entry.at && id < entry.id));
	}
}

/** Ids of rows by key and time. */
export class GroupedTimeIndex<Row extends {readonly id: string}> implements RowIndex<Row> {
	readonly #indexes = new Map<string, TimeIndex<Row>>();
	readonly #keyOf: (row: Row) => string | null;
	readonly #timeOf: (row: Row) => string | null;

	constructor(keyOf: (row: Row) => string | null, timeOf: (row: Row) => string | null) {
		this.#keyOf = keyOf;
		this.#timeOf = timeOf;
	}

	update(before: Row | undefined, after: Row | undefined): void {
		const oldKey = before && this.#keyOf(before);
		const newKey = after && this.#keyOf(after);
		if (oldKey === newKey) {
			this.#updateKey(newKey, before, after);
		} else {
			this.#updateKey(oldKey, before, undefined);
			this.#updateKey(newKey, undefined, after);
		}
	}

	sizeOf(key: string): number {
		return this.#indexes.get(key)?.size ?? 0;
	}

	/** The first entry of a key. */
	first(key: string): TimeEntry | undefined {
		return this.#indexes.get(key)?.first;
	}

	/** Ids of a key without the newest `skip`. Iterate before rows change. */
	*newestFirst(key: string, skip = 0): Generator<string> {
		for (const {id} of this.entries(key, skip)) {
			yield id;
		}
	}

	/** Entries of a key without the newest `skip`, for `mergeLatestFirst`. Iterate before rows change. */
	entries(key: string, skip = 0): Iterable<TimeEntry> {
		return this.#indexes.get(key)?.latest(skip) ?? [];
	}

	/** Ids of a key with a time up to `now`, soonest first. Iterate before rows change. */
	until(key: string, now: string): Iterable<string> {
		return this.#indexes.get(key)?.until(now) ?? [];
	}

	#updateKey(key: string | null | undefined, before: Row | undefined, after: Row | undefined): void {
		if (key == null) {
			return;
		}

		const index = this.#indexes.get(key) ?? new TimeIndex<Row>(this.#timeOf);
		index.update(before, after);
		if (index.size > 0) {
			this.#indexes.set(key, index);
		} else {
			this.#indexes.delete(key);
		}
	}
}

/** Merges lists that are sorted latest first. Returns each id once, and reads the lists lazily. */
export function* mergeLatestFirst(lists: Iterable<Iterable<TimeEntry>>): Generator<string> {
	/** The next entry of each list, in ascending order. */
	const heads: Head[] = [];
	for (const list of lists) {
		advance(heads, list[Symbol.iterator]());
	}

	let last: string | undefined;
	for (let head = heads.pop(); head; head = heads.pop()) {
		if (head.entry.id !== last) {
			last = head.entry.id;
			yield last;
		}

		advance(heads, head.rest);
	}
}

type Head = {readonly entry: TimeEntry; readonly rest: Iterator<TimeEntry>};

/** Inserts a list by its next entry. */
function advance(heads: Head[], rest: Iterator<TimeEntry>): void {
	const {value: entry, done} = rest.next();
	if (done) {
		return;
	}

	const place = partitionPoint(heads, head => !isLater(head.entry, entry));
	heads.splice(place, 0, {entry, rest});
}

function isLater(a: TimeEntry, b: TimeEntry): boolean {
	return a.at > b.at || (a.at === b.at && a.id > b.id);
}
