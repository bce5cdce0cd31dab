import type {DeliveryBudget} from '../../port.js';
import {RemainingBudget} from '../../rules/webhooks.js';

/** An endpoint with unfinished deliveries, and when the first one is due. */
export type DueEndpoint = {readonly endpointId: string; readonly userId: string; readonly at: string};

type Entry = {
	readonly userId: string;
	/** When the first delivery without a lease is due, as far as this node knows; undefined if there is none. */
	at: string | undefined;
	/** Lower bound of the due times. Queries start here and skip deleted index entries before it. */
	floor: string;
	/** Lower bound of the ends of valid leases, in Unix milliseconds of the database's clock. */
	heldFrom: number;
	/** Time (`performance.now()`) before which this node does not try again. */
	retryAt: number;
	/** Number of the last note about the endpoint. */
	notedAt: number;
};

/** Request for up to `most` deliveries of an endpoint. */
export type LeaseRequest = {most: number} & Readonly<Pick<Entry, 'floor' | 'heldFrom'> & {endpointId: string}>;

type Candidate = DueEndpoint & Readonly<Pick<Entry, 'floor' | 'heldFrom'>>;

/** Delay before asking again for an endpoint that another node holds. */
const retryMs = 50;

/**
 * Endpoints with due deliveries, as far as this node knows: from what it stored, and from scans of the table. Only a hint
 * where to look; the database decides who gets a delivery.
 */
export class DueEndpoints {
	readonly #entries = new Map<string, Entry>();
	#notes = 0;

	/** Number of notes so far. A result that is older than a note does not override it. */
	get notes(): number {
		return this.#notes;
	}

	/** Records that a delivery was stored. */
	note({endpointId, userId, at}: DueEndpoint): void {
		const entry = this.#entryOf(endpointId, userId);
		entry.at = earlierOf(entry.at, at);
		entry.floor = entry.floor < at ? entry.floor : at;
		entry.notedAt = ++this.#notes;
	}

	/** Replaces entries with the result of a full scan, except those noted since it started. */
	replace(all: readonly DueEndpoint[], notes: number): void {
		const found = new Set(all.map(({endpointId}) => endpointId));
		for (const [endpointId, entry] of this.#entries) {
			if (entry.notedAt > notes) {
				continue;
			}

			if (entry.at === undefined && !found.has(endpointId)) {
				this.#entries.delete(endpointId);
			} else {
				entry.at = undefined;
			}
		}

		for (const {endpointId, userId, at} of all) {
			this.#entryOf(endpointId, userId).retryAt = 0;
			this.update(endpointId, {floor: at, at}, notes);
		}
	}

	/**
	 * Updates an entry with the result of a query that started after `notes` notes. `at` is undefined if no delivery was
	 * free.
	 */
	update(
		endpointId: string,
		{floor, at, heldFrom = 0}: Pick<Entry, 'floor' | 'at'> & {readonly heldFrom?: number | undefined},
		notes: number,
	): void {
		const entry = this.#entries.get(endpointId);
		if (entry) {
			entry.heldFrom = Math.max(entry.heldFrom, heldFrom);
		}

		if (entry && entry.notedAt <= notes) {
			entry.at = at;
			entry.floor = floor;
		} else if (entry) {
			entry.at = earlierOf(entry.at, at);
			entry.floor = floor < entry.floor ? floor : entry.floor;
		}
	}

	/** Delays the next request after one that got too few deliveries. */
	postpone(endpointId: string): void {
		const entry = this.#entries.get(endpointId);
		if (entry) {
			entry.retryAt = performance.now() + retryMs;
		}
	}

	/**
	 * Chooses deliveries to request within the budget. Users take turns, and so do the endpoints of a user. Skips endpoints
	 * that were postponed after `since` (`performance.now()`).
	 */
	choose(now: string, budget: DeliveryBudget, since: number): readonly LeaseRequest[] {
		const budgetLeft = new RemainingBudget(budget);
		const requests = new Map<string, LeaseRequest>();
		let users = this.#dueByUser(now, since);
		while (users.length > 0 && budgetLeft.all > 0) {
			for (const queue of users) {
				const next = queue.find(
					({endpointId, userId}) => budgetLeft.ofUser(userId) > 0 && budgetLeft.ofEndpoint(endpointId) > 0,
				);
				if (!next) {
					queue.length = 0;
					continue;
				}

				const {endpointId, userId, floor, heldFrom} = next;
				budgetLeft.take(userId, endpointId);
				const all = requests.get(endpointId) ?? {endpointId, most: 0, floor, heldFrom};
				all.most += 1;
				requests.set(endpointId, all);
				queue.splice(queue.indexOf(next), 1);
				queue.push(next);
			}

			users = users.filter(queue => queue.length > 0);
		}

		return [...requests.values()];
	}

	/** Due endpoints by user, the longest due first. */
	#dueByUser(now: string, since: number): Candidate[][] {
		const users = new Map<string, Candidate[]>();
		for (const [endpointId, {userId, at, floor, heldFrom, retryAt}] of this.#entries) {
			if (at !== undefined && at <= now && retryAt <= since) {
				const queue = users.get(userId) ?? [];
				queue.push({endpointId, userId, at, floor, heldFrom});
				users.set(userId, queue);
			}
		}

		const queues = [...users.values()].map(queue => queue.sort(byTime));
		return queues.sort(([one], [other]) => (one && other ? byTime(one, other) : 0));
	}

	#entryOf(endpointId: string, userId: string): Entry {
		const entry = this.#entries.get(endpointId) ?? {
			userId,
			at: undefined,
			floor: '',
			heldFrom: 0,
			retryAt: 0,
			notedAt: 0,
		};
		this.#entries.set(endpointId, entry);
		return entry;
	}
}

function earlierOf(one: string | undefined, other: string | undefined): string | undefined {
	return one === undefined || (other !== undefined && other < one) ? other : one;
}

function byTime(one: DueEndpoint, other: DueEndpoint): number {
	return one.at < other.at ? -1 : one.at > other.at ? 1 : 0;
}
