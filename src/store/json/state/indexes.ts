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

type Aged = {readonly id: string; readonly createdAt: string};

/**
 * Ids of rows by what they belong to, of which there is one at most, in the order in which the rows were created, or of
 * another time that they may have.
 */
export class ByAge<Row extends Aged> implements Index<Row> {
	readonly #agendas = new Map<string, Agenda<Row>>();
	readonly #keyOf: (row: Row) => string | null;

	readonly #timeOf: (row: Row) => string | null;

	constructor(keyOf: (row: Row) => string | null, timeOf: (row: Row) => string | null = ({createdAt}) => createdAt) {
		this.#keyOf = keyOf;
		this.#timeOf = timeOf;
	}

	update(before: Row | undefined, after: Row | undefined): void {
		const was = before && this.#keyOf(before);
		const is = after && this.#keyOf(after);
		if (was === is) {
			this.#change(is, before, after);
		} else {
			this.#change(was, before, undefined);
			this.#change(is, undefined, after);
		}
	}

	sizeOf(key: string): number {
		return this.#agendas.get(key)?.size ?? 0;
	}

	/** Without the newest `skip`. Must be read to its end, or copied, before rows change. */
	*newestFirst(key: string, skip = 0): Generator<string> {
		for (const {id} of this.entries(key, skip)) {
			yield id;
		}
	}

	/** The same with the times, for `inOrder`. */
	entries(key: string, skip = 0): Iterable<AgendaEntry> {
		return this.#agendas.get(key)?.latest(skip) ?? [];
	}

	/** Those until then, soonest first. To be read as `newestFirst` is. */
	until(key: string, now: string): Iterable<string> {
		return this.#agendas.get(key)?.until(now) ?? [];
	}

	#change(key: string | null | undefined, before: Row | undefined, after: Row | undefined): void {
		if (key == null) {
			return;
		}

		const agenda = this.#agendas.get(key) ?? new Agenda<Row>(this.#timeOf);
		agenda.update(before, after);
		if (agenda.size > 0) {
			this.#agendas.set(key, agenda);
		} else {
			this.#agendas.delete(key);
		}
	}
}

/** The ids of several lists in one, each once, latest first as the lists are. It reads no further than it is read. */
export function* inOrder(lists: Iterable<Iterable<AgendaEntry>>): Generator<string> {
	/** What comes next of each list, the latest last. */
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

type Head = {readonly entry: AgendaEntry; readonly rest: Iterator<AgendaEntry>};

/** Puts the list where its next entry belongs. */
function advance(heads: Head[], rest: Iterator<AgendaEntry>): void {
	const {value: entry, done} = rest.next();
	if (done) {
		return;
	}

	let place = heads.length;
	for (let step = heads.length; step > 0; step >>>= 1) {
		while (place - step >= 0 && isLater(heads[place - step]?.entry, entry)) {
			place -= step;
		}
	}

	heads.splice(place, 0, {entry, rest});
}

function isLater(one: AgendaEntry | undefined, other: AgendaEntry): boolean {
	return one !== undefined && (one.at > other.at || (one.at === other.at && one.id > other.id));
}
