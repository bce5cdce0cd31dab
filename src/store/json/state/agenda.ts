import type {Delivery} from '../../../domain/webhook.js';
import type {Index} from './table.js';

type Entry = {readonly at: string; readonly id: string};

/** Ids by the time (ISO 8601) something is to happen with them, soonest first. */
export class Agenda {
	readonly #entries: Entry[] = [];
	readonly #timeOf = new Map<string, string>();

	get size(): number {
		return this.#entries.length;
	}

	/** Sets or moves the time of an id; null takes it off. */
	set(id: string, at: string | null): void {
		const known = this.#timeOf.get(id);
		if (known === at) {
			return;
		}

		if (known !== undefined) {
			this.#timeOf.delete(id);
			this.#entries.splice(this.#placeOf({at: known, id}), 1);
		}

		if (at !== null) {
			this.#timeOf.set(id, at);
			this.#entries.splice(this.#placeOf({at, id}), 0, {at, id});
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
	readonly #agendas = new Map<string, Agenda>();

	update(before: Delivery | undefined, after: Delivery | undefined): void {
		const delivery = after ?? before;
		if (delivery === undefined) {
			return;
		}

		const agenda = this.#agendas.get(delivery.endpointId) ?? new Agenda();
		agenda.set(delivery.id, after?.nextAttemptAt ?? null);
		if (agenda.size > 0) {
			this.#agendas.set(delivery.endpointId, agenda);
		} else {
			this.#agendas.delete(delivery.endpointId);
		}
	}

	/** Endpoints that have unfinished deliveries, with these. */
	entries(): Iterable<readonly [endpointId: string, queue: Agenda]> {
		return this.#agendas;
	}
}
