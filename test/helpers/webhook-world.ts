import {randomUUID} from 'node:crypto';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {Readable} from 'node:stream';
import {onTestFinished} from 'vitest';
import {type DaemonSettings, defaultSettings} from '../../src/config/settings.js';
import {daemonLimits} from '../../src/daemon/limits.js';
import type {User} from '../../src/domain/accounts/user.js';
import type {Inbox} from '../../src/domain/mail/inbox.js';
import type {Message} from '../../src/domain/mail/message.js';
import type {Delivery, Endpoint} from '../../src/domain/webhooks/delivery.js';
import {createTargetPolicy} from '../../src/domain/webhooks/target.js';
import {startAll} from '../../src/lib/lifecycle.js';
import {createWebhookSender} from '../../src/outbound/webhook-sender.js';
import {Feed} from '../../src/services/live/feed.js';
import {createQuotas} from '../../src/services/quotas.js';
import {createWebhookParts, type WebhookParts, type WebhookPartsOptions} from '../../src/services/webhooks/webhooks.js';
import type {Store} from '../../src/store/port.js';
import {openTestStore} from './open-store.js';
import {noopObserver} from './resources.js';

const log = {info: () => {}, warn: () => {}, error: () => {}};

export type WebhookWorldOptions = Partial<WebhookPartsOptions> & {
	/** Quota of unfinished deliveries. */
	readonly maxDeliveries?: DaemonSettings['maxDeliveries'];
	/** Timeout of an attempt. */
	readonly timeoutMs?: number;
	/** Wraps the store that the services use, for example to make it fail. */
	readonly wrap?: (store: Store) => Store;
};

/** The webhook services with a real store in a temporary folder, real requests, and one user with one inbox. */
export class WebhookWorld {
	readonly user: User = createUser('owner');
	readonly inbox: Inbox = createInbox(this.user);
	feed: Feed;
	readonly #dir: string;
	readonly #options: WebhookWorldOptions;
	/** Offset of the clock of the services. */
	aheadMs = 0;
	store: Store;
	services: WebhookParts;
	#stop = async () => {};

	private constructor(dir: string, store: Store, options: WebhookWorldOptions) {
		this.#dir = dir;
		this.#options = options;
		this.store = store;
		this.feed = new Feed(store.events);
		this.services = this.#assemble();
	}

	static async open(options: WebhookWorldOptions = {}): Promise<WebhookWorld> {
		const dir = await mkdtemp(path.join(tmpdir(), 'tinbox-webhooks-'));
		const world = new WebhookWorld(dir, await openTestStore({dir, log}), options);
		onTestFinished(async () => {
			await world.stop();
			await rm(dir, {recursive: true, force: true});
		});
		await world.store.users.create(world.user);
		await world.store.inboxes.create(world.inbox);
		await world.#start();
		return world;
	}

	/** Stops the services; `start` resumes them. */
	async stop(): Promise<void> {
		await this.#stop();
		this.#stop = async () => {};
	}

	async start(): Promise<void> {
		this.store = await openTestStore({dir: this.#dir, log});
		this.feed = new Feed(this.store.events);
		this.services = this.#assemble();
		await this.#start();
	}

	async endpoint(
		url: string,
		fields: Partial<Pick<Endpoint, 'secret' | 'events'>> = {},
		user = this.user,
	): Promise<Endpoint> {
		return this.services.webhooks.create(user, {url, events: ['message.received'], ...fields});
	}

	/** Stores a message and announces its deliveries. */
	async receive(subject: string, inbox = this.inbox): Promise<Message> {
		const message = await this.commit(subject, inbox);
		this.announce();
		return message;
	}

	/** Publishes an event about new deliveries. */
	announce(): void {
		void this.feed.publish([{type: 'delivery.changed', deliveryId: 'some', endpointId: 'some'}]);
	}

	/** Stores a message without announcing its deliveries. */
	async commit(subject: string, inbox = this.inbox): Promise<Message> {
		const source = await this.store.sources.stage(Readable.from([Buffer.from('Subject: x\r\n\r\nx\r\n')]));
		const message: Message = {
			id: randomUUID(),
			inboxId: inbox.id,
			sourceId: source.id,
			size: source.size,
			envelope: {from: 'sender@example.com', to: [inbox.address]},
			session: null,
			to: inbox.address,
			receivedAt: this.now().toISOString(),
			summary: {from: 'author@example.com', to: [], cc: [], replyTo: [], subject, messageId: ''},
		};
		const {deliveryPlanner} = this.services;
		const reserved = await deliveryPlanner.reserve(await deliveryPlanner.planMessage(message, inbox, this.now()));
		try {
			await this.store.messages.add({source, messages: [message], deliveries: reserved.deliveries});
		} finally {
			reserved.release();
		}

		await deliveryPlanner.trimLogs(reserved);
		return message;
	}

	/** The delivery log of an endpoint, newest first. */
	async log(endpoint: Endpoint): Promise<readonly Delivery[]> {
		return (await this.store.deliveries.list(endpoint.id, {}, {page: 1, limit: 10_000})).rows;
	}

	now(): Date {
		return new Date(Date.now() + this.aheadMs);
	}

	#assemble(): WebhookParts {
		const allows = createTargetPolicy({localAllowed: true});
		const {timeoutMs, maxDeliveries, wrap = store => store, ...options} = this.#options;
		const settings = {...defaultSettings(''), ...(maxDeliveries && {maxDeliveries})};
		const sender = createWebhookSender({allows, ...(timeoutMs !== undefined && {timeoutMs})});
		const services = createWebhookParts(wrap(this.store), {
			send: sender.send,
			maxConcurrent: 512,
			allows,
			findHost: async () => 'unknown',
			quotas: createQuotas(daemonLimits(settings, {openFiles: 1e6, log}).ofUsers, this.store),
			feed: this.feed,
			localEmail: this.user.email,
			retryDelayMs: 10,
			retention: {keep: 1000, keepMs: 30 * 86_400_000},
			observer: noopObserver,
			now: () => this.now(),
			log,
			...options,
		});
		const closing = {name: 'sender', start: async () => {}, stop: () => sender.close()};
		return {...services, parts: [closing, ...services.parts]};
	}

	async #start(): Promise<void> {
		const stopParts = await startAll(this.services.parts);
		const {store} = this;
		this.#stop = async () => {
			await stopParts();
			await store.close();
		};
	}
}

export function createUser(name: string): User {
	return {
		id: randomUUID(),
		name,
		email: `${name}@example.com`,
		plan: 'business',
		createdAt: '2026-01-01T00:00:00.000Z',
	};
}

export function createInbox(owner: User, teamId: string | null = null): Inbox {
	const id = randomUUID();
	return {
		id,
		ownerId: owner.id,
		teamId,
		address: `${id}@tinbox.test`,
		name: null,
		routing: 'login',
		generation: 0,
		createdAt: '2026-01-01T00:00:00.000Z',
		expiresAt: null,
	};
}
