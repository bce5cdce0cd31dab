import {setMaxListeners} from 'node:events';
import {setTimeout as delay, setImmediate as nextTurn} from 'node:timers/promises';
import {stoppingError} from '../../domain/errors.js';
import {topics} from '../../domain/feed.js';
import {
	afterAttempt,
	type Delivery,
	type Endpoint,
	maxPerEndpoint,
	type SendWebhook,
} from '../../domain/webhooks/delivery.js';
import {signedHeaders} from '../../domain/webhooks/request.js';
import type {Part} from '../../lib/lifecycle.js';
import type {Log} from '../../lib/log.js';
import {FairQueue} from '../../lib/queue/fair-queue.js';
import {retry} from '../../lib/time/sleep.js';
import {Timer} from '../../lib/time/timer.js';
import type {DeliveryBudget, Due, Store} from '../../store/port.js';
import type {Feed} from '../live/feed.js';
import type {Observer} from '../observer.js';

export type WebhookDispatcherOptions = {
	readonly send: SendWebhook;
	/** Maximum number of concurrent attempts of all users. */
	readonly maxConcurrent: number;
	/** Delay before the second attempt; before the n-th retry it is n times this. */
	readonly retryDelayMs: number;
	/** Announces new deliveries. */
	readonly feed: Feed;
	/** Called after an attempt was recorded in the delivery log of the user's endpoint. */
	readonly onRecorded: (delivery: Delivery, userId: string) => void;
	readonly observer: Pick<Observer, 'attempt'>;
	readonly now: () => Date;
	readonly log: Log;
};

/** Deliveries leased at once, because each lease can be a transaction. */
const maxPerLease = 64;

/** Attempts started in one turn of the event loop, because one mail can have a thousand deliveries. */
const maxPerTurn = 16;

/** Longest sleep: deliveries of another node, or of one that ended, become due without an event. */
const maxSleepMs = 1000;

/** Interval between searches for test deliveries of a node that ended. */
const interruptedEveryMs = 30_000;

/** Interval between attempts to lease a busy delivery. */
const busyRetryMs = 100;

const afterFailureMs = 1000;
const recordBackoff = {minMs: 250, maxMs: 30_000};

/** Delivery after an attempt; undefined if it was deleted. */
type AttemptedDelivery = Delivery | undefined;

/**
 * Delivers webhooks: leases due deliveries from the store, makes one attempt for each, records the result and thereby schedules the
 * retry. It has no queue of due deliveries, so that a restart continues where the store says. Users take turns. An attempt
 * interrupted by the end of the daemon does not count: the receiver may see the delivery twice, with the same id.
 */
export class WebhookDispatcher implements Part {
	readonly name = 'webhook dispatcher';
	readonly #store: Pick<Store, 'endpoints' | 'deliveries'>;
	readonly #options: WebhookDispatcherOptions;
	/** Limits concurrent attempts in total and per user. */
	readonly #queue: FairQueue;
	/** Limits concurrent attempts per endpoint. */
	readonly #endpoints = new EndpointConcurrency();
	/** Outcomes of running and waiting attempts by delivery id. */
	readonly #attempts = new Map<string, Promise<AttemptedDelivery>>();
	readonly #timer = new Timer();
	readonly #stop = new AbortController();
	#interruptedAt = 0;
	#running: Promise<void> | undefined;

	constructor(store: Pick<Store, 'endpoints' | 'deliveries'>, options: WebhookDispatcherOptions) {
		this.#store = store;
		this.#options = options;
		this.#queue = new FairQueue(options.maxConcurrent);
		// Each attempt listens; the default limit would report a leak.
		setMaxListeners(0, this.#stop.signal);
	}

	async start(): Promise<void> {
		await this.#failInterruptedTests();
		this.#running = this.#run();
	}

	/** Interrupts running attempts, and resolves when the results of the others are recorded. */
	async stop(): Promise<void> {
		this.#stop.abort();
		this.wake();
		await this.#running;
		await Promise.allSettled(this.#attempts.values());
	}

	/** Looks for due deliveries immediately. */
	wake(): void {
		this.#timer.wake();
	}

	/**
	 * Makes an attempt in any state of the delivery and resolves to the result; undefined if the delivery was deleted. If an attempt
	 * is running, here or on another node, resolves to its result. Throws `stopping`.
	 */
	async attemptNow({delivery, endpoint}: Due): Promise<AttemptedDelivery> {
		return (
			this.#attempts.get(delivery.id) ??
			this.#track(delivery.id, async () => this.#leaseAndAttempt(delivery, endpoint.userId))
		);
	}

	async #run(): Promise<void> {
		const {feed, log} = this.#options;
		while (!this.#stop.signal.aborted) {
			const stopListening = feed.listen([topics.deliveries], this.#timer);
			const sleepMs = await this.#startDue().catch(error => {
				log.error({err: error}, 'Reading due webhook deliveries failed; retrying');
				return afterFailureMs;
			});
			await this.#timer.sleep(sleepMs);
			stopListening();
		}
	}

	/** Starts attempts for due deliveries within the limits. Resolves to the milliseconds until another becomes due. */
	async #startDue(): Promise<number> {
		const {deliveries} = this.#store;
		const now = this.#options.now();
		const at = now.toISOString();
		if (now.getTime() - this.#interruptedAt >= interruptedEveryMs) {
			await this.#failInterruptedTests();
		}

		while (!this.#stop.signal.aborted) {
			const budget = this.#budget();
			const due = budget.all > 0 ? await deliveries.lease(at, budget) : [];
			for (const [index, leased] of due.entries()) {
				// `attemptNow` may have started an attempt, which then uses this lease.
				if (!this.#attempts.has(leased.delivery.id)) {
					this.#track(leased.delivery.id, async () => this.#attempt(leased)).catch(() => {});
				}

				if (index % maxPerTurn === maxPerTurn - 1) {
					await nextTurn();
				}
			}

			if (due.length === 0 || due.length < budget.all) {
				break;
			}
		}

		const next = await deliveries.nextDue(at);
		return next === undefined ? maxSleepMs : Math.min(Date.parse(next) - now.getTime(), maxSleepMs);
	}

	#budget(): DeliveryBudget {
		return {
			all: Math.min(this.#queue.free, maxPerLease),
			ofUser: userId => this.#queue.capacity(userId),
			ofEndpoint: endpointId => this.#endpoints.capacity(endpointId),
		};
	}

	/** Runs an attempt and cleans up after it: a failed one is still due, and its lease is released. */
	#track(id: string, attempt: () => Promise<AttemptedDelivery>): Promise<AttemptedDelivery> {
		const run = async () => {
			try {
				return await attempt();
			} catch (error) {
				await this.#pauseAfter(error, id);
				await this.#release(id);
				throw error;
			} finally {
				this.#attempts.delete(id);
				this.wake();
			}
		};
		const outcome = run();
		this.#attempts.set(id, outcome);
		return outcome;
	}

	/** Waits while another node attempts the delivery or its endpoint is busy. A result recorded meanwhile is the answer. */
	async #leaseAndAttempt({id, attempts}: Delivery, userId: string): Promise<AttemptedDelivery> {
		const {deliveries} = this.#store;
		let due = await deliveries.leaseOne(id, userId);
		while (due === 'busy') {
			await delay(busyRetryMs, undefined, {signal: this.#stop.signal}).catch(() => {
				throw stoppingError();
			});
			due = await deliveries.leaseOne(id, userId);
		}

		if (due && due.delivery.attempts !== attempts) {
			await this.#release(id);
			return due.delivery;
		}

		return due && this.#attempt(due);
	}

	/** Makes one attempt for a leased delivery when it is the user's turn. */
	async #attempt(due: Due): Promise<AttemptedDelivery> {
		const {id, userId} = due.endpoint;
		let delivery: Delivery | undefined;
		this.#endpoints.start(id);
		try {
			delivery = await this.#queue.run(userId, async () => this.#sendAndRecord(due));
			return delivery;
		} finally {
			this.#endpoints.end(id, delivery?.status === 'delivered');
		}
	}

	async #sendAndRecord({delivery, endpoint}: Due): Promise<AttemptedDelivery> {
		const {id, body, event} = delivery;
		const {send, observer, now, retryDelayMs, onRecorded, log} = this.#options;
		const {userId, url, secret, format} = endpoint;
		const {signal} = this.#stop;
		// Its turn may come after `stop`.
		if (signal.aborted) {
			throw stoppingError();
		}

		const headers = signedHeaders({format, deliveryId: id, event, body, secret, at: now()});
		const startedAt = performance.now();
		const attempt = await send({userId, url, headers, body, signal});
		if (attempt.status === null && signal.aborted) {
			throw stoppingError();
		}

		observer.attempt(delivery, attempt, (performance.now() - startedAt) / 1000);
		const recorded = afterAttempt(delivery, attempt, now(), retryDelayMs);
		const onFailure = (err: unknown) =>
			log.warn({delivery: id, endpoint: endpoint.id, err}, 'Could not record a webhook delivery; retrying');
		// Retries while the disk is full: a delivery that was sent but not recorded would be sent again and again.
		const isRecorded = await retry(() => this.#record(recorded, endpoint), {...recordBackoff, signal, onFailure});
		if (!isRecorded) {
			return this.#store.deliveries.get(id);
		}

		onRecorded(recorded, userId);
		return recorded;
	}

	/** Status 410 means that the receiver is gone, so it also deactivates the endpoint unless its URL has changed. */
	async #record(delivery: Delivery, {id, url, userId}: Endpoint): Promise<boolean> {
		if (delivery.responseStatus === 410 && (await this.#store.endpoints.get(id))?.url === url) {
			await this.#store.endpoints.update(id, {isActive: false}, userId);
		}

		return this.#store.deliveries.finish(delivery);
	}

	/** Without a pause, an unexpected failure would repeat immediately, as the delivery is still due. */
	async #pauseAfter(error: unknown, deliveryId: string): Promise<void> {
		if (!this.#stop.signal.aborted) {
			this.#options.log.error({err: error, delivery: deliveryId}, 'Webhook attempt failed unexpectedly; retrying');
			await delay(afterFailureMs, undefined, {signal: this.#stop.signal}).catch(() => {});
		}
	}

	/** Never rejects: a lease that cannot be released expires. */
	async #release(deliveryId: string): Promise<void> {
		await this.#store.deliveries
			.release(deliveryId)
			.catch(error =>
				this.#options.log.warn(
					{err: error, delivery: deliveryId},
					'Could not release a webhook delivery; waiting for its lease to expire',
				),
			);
	}

	/** Records test deliveries that the end of a node interrupted as failed: nobody waits for them, and they have no retries. */
	async #failInterruptedTests(): Promise<void> {
		const {now, log} = this.#options;
		const {deliveries} = this.#store;
		this.#interruptedAt = now().getTime();
		const result = {ok: false, status: null, body: 'The daemon stopped before the receiver responded.'};
		for (const delivery of await deliveries.leaseInterrupted()) {
			await deliveries.finish(afterAttempt(delivery, result, now(), 0)).catch(async error => {
				log.warn({delivery: delivery.id, err: error}, 'Could not mark an interrupted webhook test as failed');
				await deliveries.release(delivery.id);
			});
		}
	}
}

/** Number of endpoints from which the state of idle ones is dropped. */
const maxEndpoints = 1024;

/**
 * Adaptive limit of concurrent attempts per endpoint, so that a receiver that does not respond uses few slots. It starts at one,
 * grows by one with each acknowledged attempt up to `maxPerEndpoint`, and returns to one after a failure.
 */
export class EndpointConcurrency {
	readonly #endpoints = new Map<string, {running: number; limit: number}>();

	/** Number of attempts that may start now. */
	capacity(endpointId: string): number {
		const {limit, running} = this.#endpoints.get(endpointId) ?? {limit: 1, running: 0};
		return Math.max(0, limit - running);
	}

	start(endpointId: string): void {
		const endpoint = this.#endpoints.get(endpointId) ?? {running: 0, limit: 1};
		endpoint.running++;
		this.#endpoints.set(endpointId, endpoint);
	}

	end(endpointId: string, isAcknowledged: boolean): void {
		const endpoint = this.#endpoints.get(endpointId);
		if (endpoint) {
			endpoint.limit = isAcknowledged ? Math.min(endpoint.limit + 1, maxPerEndpoint) : 1;
			endpoint.running--;
			this.#dropIdle();
		}
	}

	#dropIdle(): void {
		if (this.#endpoints.size > maxEndpoints) {
			for (const [id, {running}] of this.#endpoints) {
				if (running === 0) {
					this.#endpoints.delete(id);
				}
			}
		}
	}
}
