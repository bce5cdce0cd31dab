import {randomUUID} from 'node:crypto';
import {
	type EndpointFormat,
	mailEventNames,
	type Page,
	type WebhookEvent,
	webhookEvents,
} from '../../contract/constants.js';
import {createWebhookSecret} from '../../contract/webhook-signature.js';
import type {User} from '../../domain/accounts/user.js';
import {found, invalidField} from '../../domain/errors.js';
import {
	type Delivery,
	type Endpoint,
	type EndpointPatch,
	isUnfinished,
	newDelivery,
	weightOfBody,
} from '../../domain/webhooks/delivery.js';
import {sampleEventBody} from '../../domain/webhooks/mail-events.js';
import {secretProblem, testBody} from '../../domain/webhooks/request.js';
import {exemption, type FindHost, literalAddress, type TargetPolicy, urlProblem} from '../../domain/webhooks/target.js';
import type {Part} from '../../lib/lifecycle.js';
import {Timer} from '../../lib/time/timer.js';
import type {DeliveryFilter, Due, Rows, Store} from '../../store/port.js';
import type {Feed} from '../live/feed.js';
import type {Quotas} from '../quotas.js';
import {Announcements} from './announcements.js';
import {Attempts, type AttemptsOptions, Dispatcher} from './delivery.js';
import {DeliveryRetention, type Retention} from './retention.js';

/** How many deliveries the read of an endpoint shows. */
const recent = {page: 1, limit: 20};

/** The secret is generated when there is none. */
type NewEndpoint = Pick<EndpointPatch, 'events' | 'secret'> & {
	readonly url: string;
	readonly format?: EndpointFormat | undefined;
};

export type EndpointWithDeliveries = {readonly endpoint: Endpoint; readonly deliveries: readonly Delivery[]};

type WebhooksOptions = {
	readonly attempts: Attempts;
	readonly feed: Feed;
	/** Rung when deliveries of an endpoint may go on. */
	readonly timer: Timer;
	readonly allows: TargetPolicy;
	readonly findHost: FindHost;
	readonly quotas: Pick<Quotas, 'endpoints' | 'deliveries'>;
	readonly now: () => Date;
};

/** The webhook endpoints of users, and what was sent to them. An endpoint of somebody else is `not_found`. */
export class Webhooks {
	readonly #store: Pick<Store, 'endpoints' | 'deliveries'>;
	readonly #options: WebhooksOptions;

	constructor(store: Pick<Store, 'endpoints' | 'deliveries'>, options: WebhooksOptions) {
		this.#store = store;
		this.#options = options;
	}

	/** Throws `invalid_input` for a URL that webhooks cannot or must not be sent to, and for an unusable secret. */
	async create(user: User, {url, format = 'tinbox', ...given}: NewEndpoint): Promise<Endpoint> {
		const {secret = createWebhookSecret(), events = defaultEvents(format)} = given;
		await this.#check(user, format, {url, events, secret});
		const createdAt = this.#options.now().toISOString();
		const of = {userId: user.id, url, format, events, isActive: true, secret, createdAt};
		const endpoint = {id: randomUUID(), ...of};
		await this.#options.quotas.endpoints.add(user.id, 1, check => this.#store.endpoints.create(endpoint, check));
		return endpoint;
	}

	async list(user: User): Promise<readonly Endpoint[]> {
		return this.#store.endpoints.listOf(user.id);
	}

	/** With the 20 most recent deliveries. */
	async get(user: User, id: string): Promise<EndpointWithDeliveries> {
		const endpoint = await this.#own(user, id);
		return {endpoint, deliveries: (await this.#store.deliveries.list(id, {}, recent)).rows};
	}

	/**
	 * What is waiting goes to the new URL, signed with the new secret. An inactive endpoint is sent nothing; what waits for
	 * it goes on when it is active again. Throws as `create` does.
	 */
	async update(user: User, id: string, patch: EndpointPatch): Promise<Endpoint> {
		const {format = 'tinbox'} = await this.#own(user, id);
		await this.#check(user, format, patch);
		const endpoint = found(await this.#store.endpoints.update(id, patch), noEndpoint(id));
		this.#options.timer.wake();
		return endpoint;
	}

	/** Deletes the endpoint with its deliveries. */
	async delete(user: User, id: string): Promise<void> {
		await this.#own(user, id);
		found(await this.#store.endpoints.delete(id), noEndpoint(id));
	}

	async deliveries(user: User, id: string, filter: DeliveryFilter, page: Page): Promise<Rows<Delivery>> {
		await this.#own(user, id);
		return this.#store.deliveries.list(id, filter, page);
	}

	async delivery(user: User, id: string, deliveryId: string): Promise<Delivery> {
		await this.#own(user, id);
		return this.#deliveryOf(id, deliveryId);
	}

	/**
	 * Sends a sample, once, and resolves to what came of it. An inactive endpoint can be tested, too. Throws `limit_reached`
	 * when the user has no room for one more delivery that is not finished.
	 */
	async test(user: User, id: string): Promise<Delivery> {
		const endpoint = await this.#own(user, id);
		const now = this.#options.now();
		const {format = 'tinbox', secret} = endpoint;
		const sample =
			format === 'tinbox'
				? ({event: 'message.received', body: testBody(now)} as const)
				: ({event: 'email.delivered', body: sampleEventBody(format, secret, now)} as const);
		const delivery = newDelivery({endpointId: id, messageId: null, isTest: true, ...sample}, now);
		await this.#options.quotas.deliveries.add(user.id, 1, () => this.#store.deliveries.put([delivery]));
		await this.#options.feed.publish([{type: 'delivery.changed', deliveryId: delivery.id, endpointId: id}]);
		return this.#attempt({delivery, endpoint});
	}

	/**
	 * Makes one more attempt for a delivery in any state, with the same id and body, and resolves to what came of it. The
	 * attempt counts as any other: if it fails and fewer than three were made, others follow. Throws `limit_reached` when it
	 * is finished and the user has no room for one more that is not.
	 */
	async redeliver(user: User, id: string, deliveryId: string): Promise<Delivery> {
		const endpoint = await this.#own(user, id);
		const delivery = await this.#deliveryOf(id, deliveryId);
		const attempt = async () => this.#attempt({endpoint, delivery});
		const {deliveries} = this.#options.quotas;
		return isUnfinished(delivery) ? attempt() : deliveries.add(user.id, weightOfBody(delivery.body.length), attempt);
	}

	async #attempt(wanted: Due): Promise<Delivery> {
		return found(await this.#options.attempts.make(wanted), noDelivery(wanted.delivery.id));
	}

	async #own(user: User, id: string): Promise<Endpoint> {
		const endpoint = await this.#store.endpoints.get(id);
		return found(endpoint?.userId === user.id && endpoint, noEndpoint(id));
	}

	async #deliveryOf(endpointId: string, id: string): Promise<Delivery> {
		const delivery = await this.#store.deliveries.get(id);
		return found(delivery?.endpointId === endpointId && delivery, noDelivery(id));
	}

	async #check(user: User, format: EndpointFormat, {url, events = [], secret}: EndpointPatch): Promise<void> {
		const wrongUrl = url === undefined ? undefined : urlProblem(url, {withLogin: format === 'postmark'});
		if (wrongUrl !== undefined) {
			throw invalidField('url', wrongUrl);
		}

		const known: readonly WebhookEvent[] = format === 'tinbox' ? webhookEvents : mailEventNames;
		if (!events.every(event => known.includes(event))) {
			throw invalidField('events', `must be events of the format "${format}": ${known.join(', ')}`);
		}

		const wrongSecret = secret === undefined ? undefined : secretProblem(secret, format);
		if (wrongSecret !== undefined) {
			throw invalidField('secret', wrongSecret);
		}

		const wrongHost = url === undefined ? undefined : await this.#hostProblem(user, url);
		if (wrongHost !== undefined) {
			throw invalidField('url', wrongHost);
		}
	}

	/** A host that cannot be looked up now may be there later: each attempt checks it again. */
	async #hostProblem(user: User, url: string): Promise<string | undefined> {
		const {allows, findHost} = this.#options;
		const {hostname} = new URL(url);
		const literal = literalAddress(url);
		const addresses = literal === undefined ? await findHost(hostname, user.id) : [literal];
		if (addresses === 'unknown') {
			return undefined;
		}

		const forbidden = addresses.find(address => !allows(address));
		return addresses.length === 0
			? `names a host that does not exist: ${hostname}`
			: forbidden && `points to ${forbidden}, where webhooks are not allowed${exemption(forbidden)}`;
	}
}

function defaultEvents(format: EndpointFormat): readonly WebhookEvent[] {
	return format === 'tinbox' ? ['message.received'] : mailEventNames.filter(event => event !== 'email.opened');
}

function noEndpoint(id: string): string {
	return `You have no webhook endpoint "${id}".`;
}

function noDelivery(id: string): string {
	return `This endpoint has no delivery "${id}".`;
}

export type WebhookPartsOptions = Omit<AttemptsOptions, 'onOver' | 'onRecorded'> &
	Omit<WebhooksOptions, 'attempts' | 'timer'> & {
		/** Of the local user. */
		readonly localEmail: string;
		/** How much of the delivery log of each endpoint is kept. */
		readonly retention: Retention;
	};

export type WebhookParts = {
	readonly webhooks: Webhooks;
	readonly announcements: Announcements;
	/** To be started, in this order, once the store is open. */
	readonly parts: readonly Part[];
};

/** Everything about webhooks, put together. The dispatcher wakes by the feed, and by an timer for what the feed does not tell. */
export function createWebhookParts(store: Omit<Store, 'dump'>, options: WebhookPartsOptions): WebhookParts {
	const {feed, quotas, retention, localEmail, now, log} = options;
	const timer = new Timer();
	const logRetention = new DeliveryRetention(store, {...retention, now, log});
	const attempts = new Attempts(store, {
		...options,
		onOver: () => timer.wake(),
		onRecorded({id, endpointId}, userId) {
			logRetention.note(endpointId, userId);
			void feed.publish([{type: 'delivery.changed', deliveryId: id, endpointId}]);
		},
	});
	return {
		webhooks: new Webhooks(store, {...options, attempts, timer}),
		announcements: new Announcements(store, {quota: quotas.deliveries, localEmail, retention: logRetention}),
		parts: [logRetention, new Dispatcher(store, {...options, attempts, timer})],
	};
}
