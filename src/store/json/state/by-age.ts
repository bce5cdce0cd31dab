import {Agenda, type AgendaEntry} from './agenda.js';
import type {Index} from './table.js';

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
