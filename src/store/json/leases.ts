import {maxPerEndpoint} from '../../domain/webhooks/delivery.js';

/** Which deliveries are held, and where they go. In memory, since no other process writes to the files. */
export class Leases {
	readonly #endpointOf = new Map<string, string>();
	readonly #countOf = new Map<string, number>();

	has(deliveryId: string): boolean {
		return this.#endpointOf.has(deliveryId);
	}

	/** Whether as many are held of the endpoint as may be. */
	isCrowded(endpointId: string): boolean {
		return (this.#countOf.get(endpointId) ?? 0) >= maxPerEndpoint;
	}

	take(deliveryId: string, endpointId: string): void {
		if (!this.has(deliveryId)) {
			this.#endpointOf.set(deliveryId, endpointId);
			this.#countOf.set(endpointId, 1 + (this.#countOf.get(endpointId) ?? 0));
		}
	}

	release(deliveryId: string): void {
		const endpointId = this.#endpointOf.get(deliveryId);
		const count = this.#countOf.get(endpointId ?? '') ?? 0;
		if (endpointId !== undefined && this.#endpointOf.delete(deliveryId)) {
			if (count > 1) {
				this.#countOf.set(endpointId, count - 1);
			} else {
				this.#countOf.delete(endpointId);
			}
		}
	}
}
