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
