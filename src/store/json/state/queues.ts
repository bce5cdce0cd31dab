import type {Delivery, Endpoint} from '../../../domain/webhooks/delivery.js';
import {Agenda, type AgendaEntry} from './agenda.js';
import type {Index} from './table.js';

/**
 * The unfinished deliveries by when they are due, so that users can take turns: those of an endpoint; the active endpoints of
 * a user, each by its first delivery; and the users, each by the first delivery of all.
 */
export class Queues {
	readonly #users = new Agenda<AgendaEntry>(({at}) => at);
	readonly #endpoints = new Agendas<AgendaEntry>(
		({at}) => at,
		(before, after) => this.#users.update(before, after),
	);
	readonly #deliveries = new Agendas<Delivery>(
		({nextAttemptAt}) => nextAttemptAt,
		(before, after) => this.#move(before, after),
	);
	readonly #all = new Agenda<Delivery>(({nextAttemptAt}) => nextAttemptAt);
	/** Of the active endpoints. */
	readonly #userOf = new Map<string, string>();

	readonly byDelivery: Index<Delivery> = {
		update: (before, after) => {
			this.#all.update(before, after);
			this.#deliveries.update((after ?? before)?.endpointId ?? '', before, after);
		},
	};

	readonly byEndpoint: Index<Endpoint> = {
		update: (before, after) => {
			if (before?.isActive !== after?.isActive) {
				this.#activate(before, after);
			}
		},
	};

	/** Users of whom a delivery is due, the longest due first. */
	users(now: string): Iterable<string> {
		return this.#users.until(now);
	}

	/** The active endpoints of a user for which a delivery is due, in the same order. */
	endpointsOf(userId: string, now: string): Iterable<string> {
		return this.#endpoints.of(userId)?.until(now) ?? [];
	}

	deliveriesOf(endpointId: string, now: string): Iterable<string> {
		return this.#deliveries.of(endpointId)?.until(now) ?? [];
	}

	/** The first time later than `after`, at which something becomes due; it may be for an endpoint that is not active. */
	next(after: string): string | undefined {
		return this.#all.next(after);
	}

	#activate(before: Endpoint | undefined, after: Endpoint | undefined): void {
		const {id = '', userId = ''} = after ?? before ?? {};
		const first = this.#deliveries.of(id)?.first;
		const entry = first && {id, at: first.at};
		if (after?.isActive) {
			this.#userOf.set(id, userId);
			this.#endpoints.update(userId, undefined, entry);
		} else if (this.#userOf.delete(id)) {
			this.#endpoints.update(userId, entry, undefined);
		}
	}

	/** Another delivery of the endpoint has become the first one. */
	#move(before: AgendaEntry | undefined, after: AgendaEntry | undefined): void {
		const userId = this.#userOf.get((after ?? before)?.id ?? '');
		if (userId !== undefined) {
			this.#endpoints.update(userId, before, after);
		}
	}
}

/** Agendas by what they belong to. Each stands in an agenda above where its first entry stands. */
class Agendas<Row extends {readonly id: string}> {
	readonly #agendas = new Map<string, Agenda<Row>>();
	readonly #timeOf: (row: Row) => string | null;
	readonly #above: (before: AgendaEntry | undefined, after: AgendaEntry | undefined) => void;

	constructor(
		timeOf: (row: Row) => string | null,
		above: (before: AgendaEntry | undefined, after: AgendaEntry | undefined) => void,
	) {
		this.#timeOf = timeOf;
		this.#above = above;
	}

	of(key: string): Agenda<Row> | undefined {
		return this.#agendas.get(key);
	}

	update(key: string, before: Row | undefined, after: Row | undefined): void {
		const agenda = this.#agendas.get(key) ?? new Agenda(this.#timeOf);
		const was = agenda.first;
		agenda.update(before, after);
		const is = agenda.first;
		if (is) {
			this.#agendas.set(key, agenda);
		} else {
			this.#agendas.delete(key);
		}

		if (was?.at !== is?.at) {
			this.#above(was && {id: key, at: was.at}, is && {id: key, at: is.at});
		}
	}
}
