import {EventEmitter, once} from 'node:events';

/** Attempts of one endpoint at a time. */
const maxPerEndpoint = 4;

/** Attempts at a time, of all endpoints, that have not been under way for long. */
const maxFresh = 64;

/** After this long an attempt is no longer fresh. */
const freshMs = 250;

/** Attempts at a time, slow ones included. */
const maxUnderWay = 512;

/** An attempt is over; a receiver that acknowledged it may get more at a time. */
export type Leave = (acknowledged: boolean) => void;

type Lane = {underWay: number; allowed: number};

/**
 * Who may make an attempt now, so that a dead receiver never delays another's deliveries:
 *
 * - An endpoint begins with one attempt at a time. Each that is acknowledged allows one more, up to four; one that fails
 *   brings it back to one.
 * - 64 attempts are made at a time. One that is not answered within 250 ms no longer counts, or else 64 receivers that
 *   never answer would hold up all others; 512 in all is the end of it.
 */
export class Lanes {
	readonly #lanes = new Map<string, Lane>();
	readonly #full = new Set<string>();
	readonly #departures = new EventEmitter().setMaxListeners(0);
	readonly #onFree: () => void;
	#fresh = 0;
	#underWay = 0;

	/** `onFree` is called whenever there is more room than before. */
	constructor(onFree: () => void) {
		this.#onFree = onFree;
	}

	/** How many more attempts can be made now. */
	get free(): number {
		return Math.max(0, Math.min(maxFresh - this.#fresh, maxUnderWay - this.#underWay));
	}

	/** The endpoints that take no more now. */
	get full(): ReadonlySet<string> {
		return this.#full;
	}

	/** Whether the endpoint has four attempts under way. */
	isCrowded(endpointId: string): boolean {
		return (this.#lanes.get(endpointId)?.underWay ?? 0) >= maxPerEndpoint;
	}

	/** Resolves when an attempt of the endpoint is over, or the signal aborts. */
	async departure(endpointId: string, signal: AbortSignal): Promise<void> {
		await once(this.#departures, endpointId, {signal}).catch(() => {});
	}

	/** Counts an attempt in, until the function that it returns is called. */
	enter(endpointId: string): Leave {
		const lane = this.#lanes.get(endpointId) ?? {underWay: 0, allowed: 1};
		this.#lanes.set(endpointId, lane);
		this.#count(endpointId, lane, 1);
		this.#fresh += 1;
		let isFresh = true;
		const age = () => {
			this.#fresh -= isFresh ? 1 : 0;
			isFresh = false;
			this.#onFree();
		};
		const timer = setTimeout(age, freshMs);
		return acknowledged => {
			clearTimeout(timer);
			lane.allowed = acknowledged ? Math.min(lane.allowed + 1, maxPerEndpoint) : 1;
			this.#count(endpointId, lane, -1);
			this.#forgetIdle();
			this.#departures.emit(endpointId);
			age();
		};
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
