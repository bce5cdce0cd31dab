import {randomUUID} from 'node:crypto';
import type {Delivery} from '../../domain/webhooks/delivery.js';
import type {DeliveryBudget} from '../port.js';

/** A delivery budget that shrinks as deliveries are taken from it. */
export class RemainingBudget {
	readonly #budget: DeliveryBudget;
	/** Deliveries taken, by user id and by endpoint id. */
	readonly #taken = new Map<string, number>();
	#all: number;

	constructor(budget: DeliveryBudget) {
		this.#budget = budget;
		this.#all = budget.all;
	}

	get all(): number {
		return this.#all;
	}

	ofUser(id: string): number {
		return Math.min(this.#all, this.#budget.ofUser(id) - (this.#taken.get(id) ?? 0));
	}

	ofEndpoint(id: string): number {
		return Math.min(this.#all, this.#budget.ofEndpoint(id) - (this.#taken.get(id) ?? 0));
	}

	take(userId: string, endpointId: string): void {
		this.#all -= 1;
		for (const id of [userId, endpointId]) {
			this.#taken.set(id, 1 + (this.#taken.get(id) ?? 0));
		}
	}
}

/** The body of several deliveries, stored once. Removed with the last of them. */
export type SharedBody = {readonly id: string; readonly text: string};

/** Returns bodies of at least `minLength` characters that several deliveries have, by their text. */
export function sharedBodies(deliveries: readonly Delivery[], minLength = 0): ReadonlyMap<string, SharedBody> {
	const seen = new Set<string>();
	const shared = new Map<string, SharedBody>();
	for (const {body} of deliveries) {
		if (seen.has(body) && !shared.has(body)) {
			shared.set(body, {id: randomUUID(), text: body});
		} else if (body.length >= minLength) {
			seen.add(body);
		}
	}

	return shared;
}
