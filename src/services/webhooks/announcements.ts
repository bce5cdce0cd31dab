import type {Inbox} from '../../domain/inbox.js';
import type {Message} from '../../domain/message.js';
import {type Delivery, givenUp, newDelivery} from '../../domain/webhook.js';
import {eventBody} from '../../domain/webhook-request.js';
import type {Store} from '../../store/store.js';
import {memberIdsOf} from '../accounts/members.js';
import type {Reserved, StoredQuota} from '../limits/quota.js';

/** A delivery, and whose endpoint it goes to. */
export type Announcement = {readonly userId: string; readonly delivery: Delivery};

export type AnnouncementsOptions = {
	/** Of unfinished deliveries. */
	readonly quota: StoredQuota;
	/** Called when a delivery that nobody will attempt was written to the log of its endpoint. */
	readonly onGivenUp: (endpointId: string) => void;
};

/** Makes the deliveries that announce messages, within the limits. */
export class Announcements {
	readonly #store: Pick<Store, 'teams' | 'endpoints'>;
	readonly #options: AnnouncementsOptions;

	constructor(store: Pick<Store, 'teams' | 'endpoints'>, options: AnnouncementsOptions) {
		this.#store = store;
		this.#options = options;
	}

	/** Of a message, one to each endpoint of the inbox's owner and, for a team inbox, of every member. */
	async of(message: Message, {ownerId, teamId}: Inbox, now: Date): Promise<readonly Announcement[]> {
		const userIds = [ownerId, ...(await memberIdsOf(this.#store.teams, teamId))];
		const endpoints = await this.#store.endpoints.subscribed(userIds, 'message.received');
		const body = endpoints.length === 0 ? '' : eventBody(message);
		return endpoints.map(({id, userId}) => {
			return {userId, delivery: newDelivery({endpointId: id, messageId: message.id, body}, now)};
		});
	}

	/**
	 * Does what stores the deliveries, in one commit with what they announce. Mail is taken however many deliveries wait:
	 * those beyond the limit of their user are given up at once, and say so in the log of their endpoint.
	 */
	async store(
		announcements: readonly Announcement[],
		keep: (deliveries: readonly Delivery[]) => Promise<void>,
	): Promise<void> {
		const reserved = new Map<string, Reserved>();
		try {
			const deliveries: Delivery[] = [];
			for (const [userId, own] of byUser(announcements)) {
				const room = await this.#options.quota.reserve(userId, own.length);
				reserved.set(userId, room);
				const {amount, refusal} = room;
				deliveries.push(...own.slice(0, amount));
				deliveries.push(...own.slice(amount).map(delivery => givenUp(delivery, refusal?.message ?? '')));
			}

			await keep(deliveries);
			for (const {endpointId} of deliveries.filter(({nextAttemptAt}) => nextAttemptAt === null)) {
				this.#options.onGivenUp(endpointId);
			}
		} finally {
			for (const {release} of reserved.values()) {
				release();
			}
		}
	}
}

function byUser(announcements: readonly Announcement[]): ReadonlyMap<string, readonly Delivery[]> {
	const deliveries = new Map<string, Delivery[]>();
	for (const {userId, delivery} of announcements) {
		const own = deliveries.get(userId) ?? [];
		own.push(delivery);
		deliveries.set(userId, own);
	}

	return deliveries;
}
