import type {DeliveryBudget} from '../../port.js';
import {RemainingBudget} from '../../rules/webhooks.js';

/** An endpoint with unfinished deliveries, and when the first of them is due. */
export type DueEndpoint = {readonly endpointId: string; readonly userId: string; readonly at: string};

type Known = {
	readonly userId: string;
	/** Nothing that is free is due earlier, as far as this node knows; undefined when nothing is. */
	at: string | undefined;
	/** No delivery is due earlier than this, as far as this node knows: what is deleted before it need not be passed over. */
	floor: string;
	/** No lease of it ends earlier than this, but for those that are over (Unix time in milliseconds, by the clock of the database). */
	heldFrom: number;
	/** Not to be asked for before (milliseconds): another node was at it, or has all that it takes. */
	askAt: number;
	/** Of the last note. */
	notedAt: number;
};

/** How many deliveries are wanted of an endpoint. */
export type LeaseRequest = {most: number} & Readonly<Pick<Known, 'floor' | 'heldFrom'> & {endpointId: string}>;

/** An endpoint for which something is due, and where to look for it. */
type Candidate = DueEndpoint & Readonly<Pick<Known, 'floor' | 'heldFrom'>>;

/** Another node holds so many of an endpoint, or looks at it, for about so long. */
const askAgainMs = 50;

/**
 * What this node knows of the endpoints for which something is due: from what it stores, and from looks at all that there is.
 * The database decides; this says where to look.
 */
export class DueEndpoints {
	readonly #known = new Map<string, Known>();
	#notes = 0;

	/** How many notes there were: what is noted while somebody looks is not overridden by what was found. */
	get notes(): number {
		return this.#notes;
	}

	/** Something was stored that is due then. */
	note({endpointId, userId, at}: DueEndpoint): void {
		const known = this.#of(endpointId, userId);
		known.at = earlier(known.at, at);
		known.floor = known.floor < at ? known.floor : at;
		known.notedAt = ++this.#notes;
	}

	/** What a look at all endpoints found, which began after so many notes. */
	replace(all: readonly DueEndpoint[], notes: number): void {
		const found = new Set(all.map(({endpointId}) => endpointId));
		for (const [endpointId, known] of this.#known) {
			if (known.notedAt > notes) {
				continue;
			}

			if (known.at === undefined && !found.has(endpointId)) {
				this.#known.delete(endpointId);
			} else {
				known.at = undefined;
			}
		}

		for (const {endpointId, userId, at} of all) {
			this.#of(endpointId, userId).askAt = 0;
			this.learn(endpointId, {floor: at, at}, notes);
		}
	}

	/** What a look at one endpoint found, which began after so many notes: `at` is undefined when nothing is free. */
	learn(
		endpointId: string,
		{floor, at, heldFrom = 0}: Pick<Known, 'floor' | 'at'> & {readonly heldFrom?: number | undefined},
		notes: number,
	): void {
		const known = this.#known.get(endpointId);
		if (known) {
			known.heldFrom = Math.max(known.heldFrom, heldFrom);
		}

		if (known && known.notedAt <= notes) {
			known.at = at;
			known.floor = floor;
		} else if (known) {
			known.at = earlier(known.at, at);
			known.floor = floor < known.floor ? floor : known.floor;
		}
	}

	/** Nothing could be had of it. */
	postpone(endpointId: string): void {
		const known = this.#known.get(endpointId);
		if (known) {
			known.askAt = performance.now() + askAgainMs;
		}
	}

	/**
	 * Of which endpoints to lease how many, as far as there is room: users take turns, and so do the endpoints of each. What was
	 * postponed after `since` (milliseconds) is passed over.
	 */
	choose(now: string, room: DeliveryBudget, since: number): readonly LeaseRequest[] {
		const left = new RemainingBudget(room);
		const wanted = new Map<string, LeaseRequest>();
		let users = this.#dueByUser(now, since);
		while (users.length > 0 && left.all > 0) {
			for (const queue of users) {
				const next = queue.find(({endpointId, userId}) => left.ofUser(userId) > 0 && left.ofEndpoint(endpointId) > 0);
				if (!next) {
					queue.length = 0;
					continue;
				}

				const {endpointId, userId, floor, heldFrom} = next;
				left.take(userId, endpointId);
				const all = wanted.get(endpointId) ?? {endpointId, most: 0, floor, heldFrom};
				all.most += 1;
				wanted.set(endpointId, all);
				queue.splice(queue.indexOf(next), 1);
				queue.push(next);
			}

			users = users.filter(queue => queue.length > 0);
		}

		return [...wanted.values()];
	}

	/** The endpoints of each user for which something is due, the longest due first. */
	#dueByUser(now: string, since: number): Candidate[][] {
		const users = new Map<string, Candidate[]>();
		for (const [endpointId, {userId, at, floor, heldFrom, askAt}] of this.#known) {
			if (at !== undefined && at <= now && askAt <= since) {
				const queue = users.get(userId) ?? [];
				queue.push({endpointId, userId, at, floor, heldFrom});
				users.set(userId, queue);
			}
		}

		const queues = [...users.values()].map(queue => queue.sort(byTime));
		return queues.sort(([one], [other]) => (one && other ? byTime(one, other) : 0));
	}

	#of(endpointId: string, userId: string): Known {
		const known = this.#known.get(endpointId) ?? {userId, at: undefined, floor: '', heldFrom: 0, askAt: 0, notedAt: 0};
		this.#known.set(endpointId, known);
		return known;
	}
}

function earlier(one: string | undefined, other: string | undefined): string | undefined {
	return one === undefined || (other !== undefined && other < one) ? other : one;
}

function byTime(one: DueEndpoint, other: DueEndpoint): number {
	return one.at < other.at ? -1 : one.at > other.at ? 1 : 0;
}
