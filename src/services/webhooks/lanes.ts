import {maxPerEndpoint} from '../../domain/webhooks/delivery.js';

/** Beyond as many, those of idle endpoints are forgotten. */
const maxLanes = 1024;

type Lane = {
	underWay: number;
	allowed: number;
	/** Told when the next attempt is over. */
	readonly waiting: Array<() => void>;
};

/**
 * Which endpoints may have an attempt now, so that a dead receiver never delays another's deliveries. An endpoint begins with
 * one attempt at a time. Each that is acknowledged allows one more, up to four; one that fails brings it back to one.
 */
export class Lanes {
	readonly #lanes = new Map<string, Lane>();

	/** How many more the endpoint takes now. */
	room(endpointId: string): number {
		const {allowed, underWay} = this.#lanes.get(endpointId) ?? {allowed: 1, underWay: 0};
		return Math.max(0, allowed - underWay);
	}

	/** Whether the endpoint has four attempts under way. */
	isCrowded(endpointId: string): boolean {
		return (this.#lanes.get(endpointId)?.underWay ?? 0) >= maxPerEndpoint;
	}

	/** Resolves when one of the attempts of the endpoint that are under way is over. */
	async oneLess(endpointId: string): Promise<void> {
		return new Promise(resolve => this.#lanes.get(endpointId)?.waiting.push(resolve));
	}

	/** An attempt begins. */
	enter(endpointId: string): void {
		const lane = this.#lanes.get(endpointId) ?? {underWay: 0, allowed: 1, waiting: []};
		lane.underWay += 1;
		this.#lanes.set(endpointId, lane);
	}

	/** It is over; a receiver that acknowledged it may get more at a time. */
	leave(endpointId: string, acknowledged: boolean): void {
		const lane = this.#lanes.get(endpointId);
		if (lane) {
			lane.allowed = acknowledged ? Math.min(lane.allowed + 1, maxPerEndpoint) : 1;
			lane.underWay -= 1;
			for (const tell of lane.waiting.splice(0)) {
				tell();
			}

			this.#forgetIdle();
		}
	}

	/** What idle endpoints were allowed is worth remembering, but not for ever. */
	#forgetIdle(): void {
		if (this.#lanes.size > maxLanes) {
			for (const [endpointId, {underWay}] of this.#lanes) {
				if (underWay === 0) {
					this.#lanes.delete(endpointId);
				}
			}
		}
	}
}
