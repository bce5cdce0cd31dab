import type {DeliveryStatus, Page, WebhookEvent} from '../contract/constants.js';
import type {Delivery, Endpoint} from '../domain/webhooks/delivery.js';
import type {Room} from './room.js';
import type {Rows} from './rows.js';

export type DeliveryFilter = {
	readonly status?: DeliveryStatus | undefined;
	readonly event?: WebhookEvent | undefined;
	/** Of the message that they announce. */
	readonly messageId?: string | undefined;
};

/** How much of the log of an endpoint is kept. */
export type LogLimits = {
	/** Finished deliveries, the newest. */
	readonly keep: number;
	/** Finished deliveries made before this go. */
	readonly since: string;
	/** Characters of all responses, those of the newest deliveries. */
	readonly responseLength: number;
};

/** A delivery that is due, and where it goes. */
export type Due = {readonly delivery: Delivery; readonly endpoint: Endpoint};

export interface DeliveryStore {
	/** Adds or replaces deliveries, in one commit; those of a deleted endpoint are passed over. A body stays what it was first. */
	put(deliveries: readonly Delivery[]): Promise<void>;
	get(id: string): Promise<Delivery | undefined>;
	list(endpointId: string, filter: DeliveryFilter, page: Page): Promise<Rows<Delivery>>;
	/**
	 * What this process is to send now, and holds until it finishes or releases it, or until the lease is over: no other process
	 * gets it meanwhile, and no endpoint has more than `maxPerEndpoint` that are held. Users take turns, so that nobody's long
	 * queue can hide another's: of each the unfinished delivery to an active endpoint that has been due longest at `now`, the
	 * longest due first, then the next of each, as far as there is room.
	 */
	lease(now: string, room: Room): Promise<readonly Due[]>;
	/** The same for one delivery in any state, also of an endpoint that is not active; it may be held by this process already. */
	leaseOne(id: string): Promise<Due | 'busy' | undefined>;
	/**
	 * The same for pending deliveries of which no attempt is to follow, and that nobody holds any more: tests that the end of a
	 * process interrupted.
	 */
	leaseInterrupted(): Promise<readonly Delivery[]>;
	/**
	 * Writes down what came of a delivery that this process holds, and lets go of it. False, and nothing changes, when it holds it no longer
	 * or the delivery is gone.
	 */
	finish(delivery: Delivery): Promise<boolean>;
	/** Lets go of a delivery as it is. */
	release(id: string): Promise<void>;
	/**
	 * When the next unfinished delivery becomes due, later than `after`; undefined when none does. Those to endpoints that are
	 * not active count, too: whoever wakes for them finds nothing due.
	 */
	nextDue(after: string): Promise<string | undefined>;
	/** Deletes the finished deliveries of an endpoint that are too many or too old, and drops responses that are too much. */
	prune(endpointId: string, limits: LogLimits): Promise<void>;
	/** Deletes the finished deliveries of a user that were finished first, until the others weigh no more than `keep` together. */
	trim(userId: string, keep: number): Promise<void>;
}
