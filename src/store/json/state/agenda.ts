import type {Delivery} from '../../../domain/webhook.js';
import type {Index} from './table.js';

type Entry = {readonly at: string; readonly id: string};

/** Ids of rows by the time (ISO 8601) at which something is to happen with them, soonest first. */
export class Agenda<Row extends {readonly id: string}> implements Index<Row> {
	readonly #entries: Entry[] = [];
	readonly #timeOf: (row: Row) => string | null;

	constructor(timeOf: (row: Row) => string | null) {
		this.#timeOf = timeOf;
	}

	get size(): number {
		return this.#entries.length;
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

	*until(now: string): Generator<string> {
		for (const entry of this.#entries) {
			if (entry.at > now) {
				return;
			}

			yield entry.id;
		}
	}

	/** The first time of all, or the first one later than `after`. */
	next(after = ''): string | undefined {
		return this.#entries[this.#placeOf({at: after, id: '\u{10FFFF}'})]?.at;
	}

	/** Where the entry stands, or would stand. */
	#placeOf(entry: Entry): number {
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

/** The unfinished deliveries of each endpoint, by when they are due. */
export class Queues implements Index<Delivery> {
	readonly #agendas = new Map<string, Agenda<Delivery>>();

	update(before: Delivery | undefined, after: Delivery | undefined): void {
		const endpointId = (after ?? before)?.endpointId ?? '';
		const agenda = this.#agendas.get(endpointId) ?? new Agenda(delivery => delivery.nextAttemptAt);
		agenda.update(before, after);
		if (agenda.size > 0) {
			this.#agendas.set(endpointId, agenda);
		} else {
			this.#agendas.delete(endpointId);
		}
	}

	/** Endpoints that have unfinished deliveries, with these. */
	entries(): Iterable<readonly [endpointId: string, queue: Agenda<Delivery>]> {
		return this.#agendas;
	}
}
