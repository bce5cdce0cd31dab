import {AppError} from '../../domain/errors.js';
import type {Message} from '../../domain/mail/message.js';
import type {Store} from '../../store/port.js';
import type {Feed} from '../live/feed.js';
import type {Announcements, WhatBecame} from './announcements.js';

export type MailEventsOptions = {
	readonly announcements: Pick<Announcements, 'ofMailEvent' | 'store'>;
	readonly feed: Feed;
	readonly now: () => Date;
};

/** Tells apps what became of mail that they had a sending API send. */
export class MailEvents {
	readonly #store: Pick<Store, 'inboxes' | 'deliveries'>;
	readonly #options: MailEventsOptions;

	constructor(store: Pick<Store, 'inboxes' | 'deliveries'>, options: MailEventsOptions) {
		this.#store = store;
		this.#options = options;
	}

	/** Resolves once the deliveries are durable. Throws `no_bounce` where no endpoint is told. */
	async tell(what: WhatBecame, message: Message): Promise<void> {
		const {announcements, feed, now} = this.#options;
		const inbox = await this.#store.inboxes.get(message.inboxId);
		const announced = inbox ? await announcements.ofMailEvent(what, message, inbox, now()) : [];
		if (announced.length === 0) {
			const provider = message.session?.request?.provider;
			throw new AppError(
				'no_bounce',
				`The mail was sent through the ${provider} API, which reports this by webhook. No webhook endpoint subscribes to "email.${what.kind}". Create one: tinbox webhooks create <url> --format ${provider}`,
			);
		}

		await announcements.store(announced, deliveries => this.#store.deliveries.put(deliveries));
		await feed.publish(
			announced.map(({delivery: {id: deliveryId, endpointId}}) => ({
				type: 'delivery.changed',
				deliveryId,
				endpointId,
			})),
		);
	}
}
