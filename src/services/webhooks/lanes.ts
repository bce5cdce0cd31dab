/** Attempts of one endpoint at a time. */
const maxPerEndpoint = 4;

/** Attempts at a time, of all endpoints: enough for hundreds of receivers that never answer beside those that do. */
const maxUnderWay = 512;

type Lane = {underWay: number; allowed: number};

/**
 * Who may make an attempt now, so that a dead receiver never delays another's deliveries. An endpoint begins with one attempt
 * at a time. Each that is acknowledged allows one more, up to four; one that fails brings it back to one.
 */
export class Lanes {
	readonly #lanes = new Map<string, Lane>();
	readonly #full = new Set<string>();
	#underWay = 0;

	/** How many more attempts can be made now. */
	get free(): number {
		return Math.max(0, maxUnderWay - this.#underWay);
	}

	/** The endpoints that take no more now. */
	get full(): ReadonlySet<string> {
		return this.#full;
	}

	/** Whether the endpoint has four attempts under way. */
	isCrowded(endpointId: string): boolean {
		return (this.#lanes.get(endpointId)?.underWay ?? 0) >= maxPerEndpoint;
	}

	/** An attempt begins. */
	enter(endpointId: string): void {
		const lane = this.#lanes.get(endpointId) ?? {underWay: 0, allowed: 1};
		this.#lanes.set(endpointId, lane);
		this.#count(endpointId, lane, 1);
	}

	/** It is over; a receiver that acknowledged it may get more at a time. */
	leave(endpointId: string, acknowledged: boolean): void {
		const lane = this.#lanes.get(endpointId);
		if (lane) {
			lane.allowed = acknowledged ? Math.min(lane.allowed + 1, maxPerEndpoint) : 1;
			this.#count(endpointId, lane, -1);
			this.#forgetIdle();
		}
	}

	#count(endpointId: string, lane: Lane, change: 1 | -1): void {
		lane.underWay += change;
		this.#underWay += change;
		if (lane.underWay < lane.allowed) {
			this.#full.delete(endpointId);
		} else {
			this.#full.add(endpointId);
		}
	}

	/** What idle endpoints were allowed is worth remembering, but not for ever. */
	#forgetIdle(): void {
		if (this.#lanes.size > 2 * maxUnderWay) {
			for (const [endpointId, {underWay}] of this.#lanes) {
				if (underWay === 0) {
					this.#lanes.delete(endpointId);
				}
			}
		}
	}
}
