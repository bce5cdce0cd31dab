import type {Delivery} from '../../../domain/webhook.js';
import {Agenda} from './agenda.js';
import type {Index} from './table.js';

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
