import {randomUUID} from 'node:crypto';
import type {Inbox} from '../domain/inbox.js';
import type {Message} from '../domain/message.js';
import {eventBody, headerWaitMs} from '../domain/payload.js';
import type {Delivery, Endpoint} from '../domain/webhook.js';
import type {Alarm} from '../lib/alarm.js';
import type {Store} from '../store/store.js';
import type {Announcer} from './announcer.js';

/**
 * Makes the deliveries of new messages: without a body, in one commit with the message, and with it once the header was
 * read, so that a message is announced even if it is deleted a moment later. Deliveries that a crash left without a body
 * become due after a while, and get theirs at the first attempt.
 */
export class WebhookAnnouncer implements Announcer {
	readonly #store: Pick<Store, 'teams' | 'endpoints' | 'deliveries'>;
	readonly #alarm: Alarm;
	readonly #now: () => Date;
	/** Deliveries without a body, by the id of their message; the oldest first. */
	readonly #bodiless = new Map<string, readonly Delivery[]>();

	constructor(store: Pick<Store, 'teams' | 'endpoints' | 'deliveries'>, alarm: Alarm, now: () => Date) {
		this.#store = store;
		this.#alarm = alarm;
		this.#now = now;
	}

	async announce(messages: readonly Message[], inboxes: readonly Inbox[]): Promise<readonly Delivery[]> {
		const now = this.#now();
		this.#forgetBefore(now);
		const made: Delivery[] = [];
		for (const message of messages) {
			const inbox = inboxes.find(({id}) => id === message.inboxId);
			const endpoints = inbox ? await this.#endpointsOf(inbox) : [];
			if (endpoints.length > 0) {
				const deliveries = endpoints.map(endpoint => bodilessDelivery(message, endpoint, now));
				this.#bodiless.set(message.id, deliveries);
				made.push(...deliveries);
			}
		}

		return made;
	}

	async described(messages: readonly Message[]): Promise<void> {
		const nextAttemptAt = this.#now().toISOString();
		const written: Delivery[] = [];
		for (const message of messages) {
			for (const {id} of this.#bodiless.get(message.id) ?? []) {
				const delivery = await this.#store.deliveries.get(id);
				if (delivery?.body === null) {
					written.push({...delivery, body: eventBody(message), nextAttemptAt});
				}
			}
		}

		if (written.length > 0) {
			await this.#store.deliveries.put(written);
			this.#alarm.ring();
		}

		for (const {id} of messages) {
			this.#bodiless.delete(id);
		}
	}

	/** Those of the inbox's owner and, for a team inbox, of every member. */
	async #endpointsOf({ownerId, teamId}: Inbox): Promise<readonly Endpoint[]> {
		const team = teamId === null ? undefined : await this.#store.teams.get(teamId);
		const memberIds = team?.members.map(({userId}) => userId) ?? [];
		return this.#store.endpoints.subscribed([ownerId, ...memberIds], 'message.received');
	}

	/** By now these are due: either their mail was never stored, or the dispatcher takes care of them. */
	#forgetBefore(now: Date): void {
		for (const [messageId, [first]] of this.#bodiless) {
			if (first?.nextAttemptAt && first.nextAttemptAt > now.toISOString()) {
				return;
			}

			this.#bodiless.delete(messageId);
		}
	}
}

function bodilessDelivery(message: Message, endpoint: Endpoint, now: Date): Delivery {
	return {
		id: randomUUID(),
		endpointId: endpoint.id,
		event: 'message.received',
		messageId: message.id,
		body: null,
		isTest: false,
		status: 'pending',
		attempts: 0,
		nextAttemptAt: new Date(now.getTime() + headerWaitMs).toISOString(),
		lastAttemptAt: null,
		responseStatus: null,
		responseBody: null,
		createdAt: now.toISOString(),
	};
}
