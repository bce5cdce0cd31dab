import {randomUUID} from 'node:crypto';
import type {WebhookEvent} from '../../contract/constants.js';
import {AppError} from '../../domain/errors.js';
import type {FaultHit} from '../../domain/faults/fault.js';
import type {FeedItem} from '../../domain/feed.js';
import type {Inbox} from '../../domain/mail/inbox.js';
import type {Message} from '../../domain/mail/message.js';
import {
	type Delivery,
	type Endpoint,
	isUnfinished,
	markDead,
	newDelivery,
	weightOfBody,
} from '../../domain/webhooks/delivery.js';
import {type MailEvent, mailEventBodies} from '../../domain/webhooks/mail-events.js';
import {eventBody, hitEventBody} from '../../domain/webhooks/request.js';
import type {Store} from '../../store/port.js';
import {memberIdsOf} from '../accounts/teams.js';
import type {Feed} from '../live/feed.js';
import {type Reserved, releaseAll, type StoredQuota} from '../quotas.js';
import type {DeliveryRetention} from './retention.js';

/** Outcome of a mail and its recipients. */
type MailOutcome = Pick<MailEvent, 'kind' | 'recipients' | 'status' | 'reply'>;

/** Delivery and the user whose endpoint receives it. */
export type PlannedDelivery = {readonly userId: string; readonly delivery: Delivery};

/** Deliveries with room in the quotas until `release` is called. */
type ReservedDeliveries = {
	readonly planned: readonly PlannedDelivery[];
	readonly deliveries: readonly Delivery[];
	readonly release: () => void;
};

type DeliveryPlannerOptions = {
	/** Quota of unfinished deliveries. */
	readonly quota: StoredQuota;
	/** Email address of the local user, who is notified of faults of the daemon. */
	readonly localEmail: string;
	/** Delivery logs, for deliveries that exceed the quota. */
	readonly retention: Pick<DeliveryRetention, 'note' | 'trim'>;
	readonly feed: Feed;
};

/** Plans the webhook deliveries of messages, mail events and fault hits, and stores them within the quotas. */
export class DeliveryPlanner {
	readonly #store: Pick<Store, 'teams' | 'endpoints' | 'users' | 'deliveries'>;
	readonly #options: DeliveryPlannerOptions;

	constructor(store: Pick<Store, 'teams' | 'endpoints' | 'users' | 'deliveries'>, options: DeliveryPlannerOptions) {
		this.#store = store;
		this.#options = options;
	}

	/**
	 * Deliveries of a message: one per endpoint of the inbox owner and, for a team inbox, of every member. For mail of a
	 * sending API also its `delivered` and `opened` events.
	 */
	async planMessage(
		message: Message,
		inbox: Inbox,
		now: Date,
		recipients: readonly string[] = [message.to],
	): Promise<readonly PlannedDelivery[]> {
		const endpoints = await this.#endpointsOf(inbox, 'message.received');
		const body = endpoints.length === 0 ? '' : eventBody(message);
		const received = endpoints.map(({id, userId}) => {
			const fields = {endpointId: id, event: 'message.received', messageId: message.id, body, isTest: false} as const;
			return {userId, delivery: newDelivery(fields, now)};
		});
		if (!message.session?.request) {
			return received;
		}

		const success = {recipients, status: '2.0.0', reply: '250 OK'};
		const delivered = await this.planMailEvent({kind: 'delivered', ...success}, message, inbox, now);
		// Mail is never opened here, so subscribers of `opened` are notified immediately.
		const opened = await this.planMailEvent({kind: 'opened', ...success}, message, inbox, now);
		return [...received, ...delivered, ...opened];
	}

	/** Deliveries of an outcome of mail from a sending API, in the format of that API. */
	async planMailEvent(
		outcome: MailOutcome,
		message: Message,
		inbox: Inbox,
		now: Date,
	): Promise<readonly PlannedDelivery[]> {
		const request = message.session?.request;
		const event = `email.${outcome.kind}` as const;
		const endpoints = request ? await this.#endpointsOf(inbox, event) : [];
		return endpoints.flatMap(({id: endpointId, userId, format, secret}) => {
			if (!request || format === 'tinbox' || format !== request.provider) {
				return [];
			}

			const mailEvent = {...outcome, message, request, id: randomUUID(), at: now};
			return mailEventBodies(format, mailEvent, secret).map(body => {
				const delivery = newDelivery({endpointId, event, messageId: message.id, body, isTest: false}, now);
				return {userId, delivery};
			});
		});
	}

	/** Deliveries of a fault hit, to the users of the inbox; for a fault of the daemon (null), to the local user. */
	async planFaultHit(hit: FaultHit, inbox: Inbox | null, now: Date): Promise<readonly PlannedDelivery[]> {
		const endpoints = await this.#endpointsOf(inbox, 'fault.hit');
		const body = endpoints.length === 0 ? '' : hitEventBody(hit);
		return endpoints.map(({id, userId}) => {
			const fields = {endpointId: id, event: 'fault.hit', messageId: null, body, isTest: false} as const;
			return {userId, delivery: newDelivery(fields, now)};
		});
	}

	/** Number of endpoints that are notified of a message. */
	async count(inbox: Inbox): Promise<number> {
		return (await this.#endpointsOf(inbox, 'message.received')).length;
	}

	/**
	 * Reserves room for deliveries in the quotas of their users. Deliveries beyond a quota are stored as `dead` with the reason:
	 * mail is accepted regardless of pending deliveries.
	 */
	async reserve(planned: readonly PlannedDelivery[]): Promise<ReservedDeliveries> {
		const releases: Array<() => void> = [];
		const release = releaseAll(releases);
		const deliveries: Delivery[] = [];
		try {
			for (const [userId, own] of byUser(planned)) {
				const wanted = own.reduce((sum, {body}) => sum + weightOfBody(body.length), 0);
				const reservation = await this.#options.quota.reserve(userId, wanted);
				releases.push(reservation.release);
				deliveries.push(...within(own, reservation));
			}
		} catch (error) {
			release();
			throw error;
		}

		return {planned, deliveries, release};
	}

	/** Trims the logs of endpoints whose deliveries exceeded the quota. Call it after the commit. */
	async trimLogs({planned, deliveries}: ReservedDeliveries): Promise<void> {
		const {retention} = this.#options;
		const userOf = new Map(planned.map(({userId, delivery}) => [delivery.endpointId, userId]));
		const beyond = deliveries.filter(delivery => !isUnfinished(delivery)).map(({endpointId}) => endpointId);
		for (const endpointId of beyond) {
			retention.note(endpointId, userOf.get(endpointId) ?? '');
		}

		// Mail can exceed the quota faster than the periodic sweep deletes.
		await Promise.all([...new Set(beyond.map(id => userOf.get(id) ?? ''))].map(userId => retention.trim(userId)));
	}

	/** Stores deliveries within the quotas, and publishes them. */
	async store(planned: readonly PlannedDelivery[]): Promise<void> {
		if (planned.length === 0) {
			return;
		}

		const reserved = await this.reserve(planned);
		try {
			await this.#store.deliveries.put(reserved.deliveries, planned[0]?.userId);
		} finally {
			reserved.release();
		}

		await this.trimLogs(reserved);
		await this.#options.feed.publish(planned.map(eventOf));
	}

	async #endpointsOf(inbox: Inbox | null, event: WebhookEvent): Promise<readonly Endpoint[]> {
		const userIds = inbox === null ? await this.#localUserIds() : await this.#watchersOf(inbox);
		return this.#store.endpoints.subscribed(userIds, event);
	}

	async #watchersOf({ownerId, teamId}: Inbox): Promise<readonly string[]> {
		return [ownerId, ...(await memberIdsOf(this.#store.teams, teamId))];
	}

	async #localUserIds(): Promise<readonly string[]> {
		const user = await this.#store.users.byEmail(this.#options.localEmail);
		return user ? [user.id] : [];
	}
}

/** Event of a new delivery. */
export function eventOf({delivery: {id: deliveryId, endpointId}}: PlannedDelivery): FeedItem {
	return {type: 'delivery.changed', deliveryId, endpointId};
}

function byUser(planned: readonly PlannedDelivery[]): ReadonlyMap<string, readonly Delivery[]> {
	const deliveries = new Map<string, Delivery[]>();
	for (const {userId, delivery} of planned) {
		const own = deliveries.get(userId) ?? [];
		own.push(delivery);
		deliveries.set(userId, own);
	}

	return deliveries;
}

/** Marks the deliveries beyond the reserved amount as dead. */
function within(deliveries: readonly Delivery[], {amount, refusal}: Reserved): readonly Delivery[] {
	let left = amount;
	return deliveries.map(delivery => {
		left -= weightOfBody(delivery.body.length);
		return left >= 0 ? delivery : markDead(delivery, refusal?.message ?? '');
	});
}

type MailEventsOptions = {
	readonly deliveryPlanner: Pick<DeliveryPlanner, 'planMailEvent' | 'store'>;
	readonly now: () => Date;
};

/** Reports outcomes of mail from sending APIs to their webhook endpoints. */
export class MailEventReporter {
	readonly #store: Pick<Store, 'inboxes'>;
	readonly #options: MailEventsOptions;

	constructor(store: Pick<Store, 'inboxes'>, options: MailEventsOptions) {
		this.#store = store;
		this.#options = options;
	}

	/** Resolves when the deliveries are durable. Throws `no_bounce` if no endpoint subscribes. */
	async report(outcome: MailOutcome, message: Message): Promise<void> {
		const {deliveryPlanner, now} = this.#options;
		const inbox = await this.#store.inboxes.get(message.inboxId);
		const planned = inbox ? await deliveryPlanner.planMailEvent(outcome, message, inbox, now()) : [];
		if (planned.length === 0) {
			const provider = message.session?.request?.provider;
			throw new AppError(
				'no_bounce',
				`The mail was sent through the ${provider} API, which reports this by webhook. No webhook endpoint subscribes to "email.${outcome.kind}". Create one: tinbox webhooks create <url> --format ${provider}`,
			);
		}

		await deliveryPlanner.store(planned);
	}
}
