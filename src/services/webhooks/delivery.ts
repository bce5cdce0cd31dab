import {setMaxListeners} from 'node:events';
import {setTimeout, setImmediate as turn} from 'node:timers/promises';
import {AppError} from '../../domain/errors.js';
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
import type {Timer} from '../../lib/time/timer.js';
import type {DeliveryBudget, Due, Store} from '../../store/port.js';
import type {Feed} from '../live/feed.js';
import type {Observer} from '../observer.js';

/** Beyond as many, those of idle endpoints are forgotten. */
const maxLanes = 1024;

type Lane = {
	underWay: number;
	allowed: number;
	/** Told when the next attempt is over. */
	readonly waiting: Array<() => void>;
};

/**
 * Which endpoints may have an attempt now, so that a dead receiver never delays another's deliveries. An endpoint begins with
 * one attempt at a time. Each that is acknowledged allows one more, up to four; one that fails brings it back to one.
 */
export class Lanes {
	readonly #lanes = new Map<string, Lane>();

	/** How many more the endpoint takes now. */
	room(endpointId: string): number {
		const {allowed, underWay} = this.#lanes.get(endpointId) ?? {allowed: 1, underWay: 0};
		return Math.max(0, allowed - underWay);
	}

	/** Whether the endpoint has four attempts under way. */
	isCrowded(endpointId: string): boolean {
		return (this.#lanes.get(endpointId)?.underWay ?? 0) >= maxPerEndpoint;
	}

	/** Resolves when one of the attempts of the endpoint that are under way is over. */
	async oneLess(endpointId: string): Promise<void> {
		return new Promise(resolve => this.#lanes.get(endpointId)?.waiting.push(resolve));
	}

	/** An attempt begins. */
	enter(endpointId: string): void {
		const lane = this.#lanes.get(endpointId) ?? {underWay: 0, allowed: 1, waiting: []};
		lane.underWay += 1;
		this.#lanes.set(endpointId, lane);
	}

	/** It is over; a receiver that acknowledged it may get more at a time. */
	leave(endpointId: string, acknowledged: boolean): void {
		const lane = this.#lanes.get(endpointId);
		if (lane) {
			lane.allowed = acknowledged ? Math.min(lane.allowed + 1, maxPerEndpoint) : 1;
			lane.underWay -= 1;
			for (const tell of lane.waiting.splice(0)) {
				tell();
			}

			this.#forgetIdle();
		}
	}

	/** What idle endpoints were allowed is worth remembering, but not for ever. */
	#forgetIdle(): void {
		if (this.#lanes.size > maxLanes) {
			for (const [endpointId, {underWay}] of this.#lanes) {
				if (underWay === 0) {
					this.#lanes.delete(endpointId);
				}
			}
		}
	}
}

export type AttemptsOptions = {
	readonly send: SendWebhook;
	/** The n-th wait between attempts is n times this. */
	readonly retryDelayMs: number;
	/** Called when an attempt is over, so that others may begin. */
	readonly onOver: () => void;
	/** Called when an attempt was written to the log of its endpoint, which is that user's. */
	readonly onRecorded: (delivery: Delivery, userId: string) => void;
	readonly observer: Pick<Observer, 'attempt'>;
	readonly now: () => Date;
	readonly log: Log;
};

type Outcome = Promise<Delivery | undefined>;

/** Attempts at a time, of all users: enough for hundreds of receivers that never answer beside those that do. */
const maxUnderWay = 512;

const writeBackoff = {minMs: 250, maxMs: 30_000};

/** After a failure that nobody expected. */
const unexpectedMs = 1000;

/** How often it is asked for a delivery that another node holds, or whose endpoint has four attempts under way there. */
const askAgainMs = 100;

/**
 * Makes attempts for deliveries that this process holds, at most one at a time for a delivery, and writes down what came of them.
 * Users take turns, and no user has more attempts under way than are left for the others. An attempt that the end of the daemon
 * interrupts counts as not made: the delivery is still due, and the receiver may see it twice, with the same id.
 */
export class Attempts {
	readonly #store: Pick<Store, 'endpoints' | 'deliveries'>;
	readonly #options: AttemptsOptions;
	/** By user. */
	readonly #places = new FairQueue(maxUnderWay);
	readonly #lanes = new Lanes();
	/** By the id of the delivery; some still wait for a place. */
	readonly #underWay = new Map<string, Outcome>();
	readonly #stop = new AbortController();

	constructor(store: Pick<Store, 'endpoints' | 'deliveries'>, options: AttemptsOptions) {
		this.#store = store;
		this.#options = options;
		// One for each attempt under way; the default is a guess at leaks.
		setMaxListeners(0, this.#stop.signal);
	}

	/** How many more attempts can begin now. */
	get room(): DeliveryBudget {
		return {
			all: this.#places.free,
			ofUser: userId => this.#places.capacity(userId),
			ofEndpoint: endpointId => this.#lanes.room(endpointId),
		};
	}

	/** Begins an attempt for a delivery that was leased; lets go of it if its endpoint or its user has become busy since. */
	begin(due: Due): void {
		const {delivery, endpoint} = due;
		if (this.#underWay.has(delivery.id)) {
			return; // Somebody asked for it meanwhile: the attempt that waits for its turn is for the same lease.
		}

		if (this.#lanes.room(endpoint.id) > 0 && this.#places.capacity(endpoint.userId) > 0) {
			this.#start(due, async () => this.#attempt(due)).catch(() => {});
		} else {
			void this.#release(delivery.id);
		}
	}

	/**
	 * Makes an attempt whatever the state, as soon as the endpoint has fewer than four and it is the user's turn, and
	 * resolves to the delivery as it then is; undefined when it is gone. If one is under way already, here or on another node, its
	 * outcome is the answer. Throws `stopping`.
	 */
	async make(wanted: Due): Outcome {
		const {delivery, endpoint} = wanted;
		while (!this.#underWay.has(delivery.id) && this.#lanes.isCrowded(endpoint.id)) {
			await this.#lanes.oneLess(endpoint.id);
		}

		return this.#underWay.get(delivery.id) ?? this.#start(wanted, async () => this.#attemptAsked(delivery));
	}

	/** Interrupts the attempts under way, and resolves when what came of the others is written. */
	async stop(): Promise<void> {
		this.#stop.abort();
		await Promise.allSettled(this.#underWay.values());
	}

	#start({delivery: {id}, endpoint}: Due, attempt: () => Outcome): Outcome {
		this.#lanes.enter(endpoint.id);
		const outcome = this.#places.run(endpoint.userId, () => this.#run(id, endpoint.id, attempt));
		this.#underWay.set(id, outcome);
		return outcome;
	}

	async #run(id: string, endpointId: string, attempt: () => Outcome): Outcome {
		let delivery: Delivery | undefined;
		try {
			delivery = await attempt();
			return delivery;
		} catch (error) {
			await this.#report(error, id);
			await this.#release(id);
			throw error;
		} finally {
			this.#underWay.delete(id);
			this.#lanes.leave(endpointId, delivery?.status === 'delivered');
			this.#options.onOver();
		}
	}

	/** Waits until nobody else holds the delivery: what was attempted meanwhile is the answer. */
	async #attemptAsked({id, attempts}: Delivery): Outcome {
		const {deliveries} = this.#store;
		let due = await deliveries.leaseOne(id);
		while (due === 'busy') {
			await setTimeout(askAgainMs, undefined, {signal: this.#stop.signal}).catch(() => {
				throw isStopping();
			});
			due = await deliveries.leaseOne(id);
		}

		if (due && due.delivery.attempts !== attempts) {
			await this.#release(id);
			return due.delivery;
		}

		return due && this.#attempt(due);
	}

	async #attempt({delivery, endpoint}: Due): Outcome {
		const {id, body, event} = delivery;
		const {send, observer, now, retryDelayMs, onRecorded, log} = this.#options;
		const {userId, url, secret, format = 'tinbox'} = endpoint;
		const headers = signedHeaders({format, deliveryId: id, event, body, secret, at: now()});
		const begun = performance.now();
		const attempt = await send({userId, url, headers, body, signal: this.#stop.signal});
		if (attempt.status === null && this.#stop.signal.aborted) {
			throw isStopping();
		}

		observer.attempt(delivery, attempt, (performance.now() - begun) / 1000);
		const after = afterAttempt(delivery, attempt, now(), retryDelayMs);
		const onFailure = (err: unknown) =>
			log.warn({delivery: id, endpoint: endpoint.id, err}, 'Could not record a webhook delivery; retrying');
		// However long the disk is full: what was sent but not written down would be sent again and again.
		const isWritten = await retry(() => this.#record(after, endpoint), {
			...writeBackoff,
			signal: this.#stop.signal,
			onFailure,
		});
		if (!isWritten) {
			return this.#store.deliveries.get(id);
		}

		onRecorded(after, userId);
		return after;
	}

	/** Status 410 says that the receiver is gone for good: nothing more is sent there unless somebody asks for it. */
	async #record(delivery: Delivery, {id, url}: Endpoint): Promise<boolean> {
		if (delivery.responseStatus === 410 && (await this.#store.endpoints.get(id))?.url === url) {
			await this.#store.endpoints.update(id, {isActive: false});
		}

		return this.#store.deliveries.finish(delivery);
	}

	/** The delivery is still due: without a pause, a failure that nobody expected would be met again at once. */
	async #report(error: unknown, deliveryId: string): Promise<void> {
		if (!this.#stop.signal.aborted) {
			this.#options.log.error({err: error, delivery: deliveryId}, 'Webhook attempt failed unexpectedly; retrying');
			await setTimeout(unexpectedMs, undefined, {signal: this.#stop.signal}).catch(() => {});
		}
	}

	/** Never rejects: a lease that cannot be given back runs out. */
	async #release(deliveryId: string): Promise<void> {
		const {log} = this.#options;
		await this.#store.deliveries
			.release(deliveryId)
			.catch(error =>
				log.warn(
					{err: error, delivery: deliveryId},
					'Could not release a webhook delivery; waiting for its lease to expire',
				),
			);
	}
}

function isStopping(): AppError {
	return new AppError('stopping', 'The daemon is stopping. Try again when it is running.');
}

/** The longest sleep: other nodes bring what is due, or end and leave it behind. */
const maxSleepMs = 1000;

/** How often it is looked for tests that the end of a node interrupted. */
const interruptedEveryMs = 30_000;

const afterFailureMs = 1000;

/** Attempts that begin before others have a turn: one mail can be announced by a thousand. */
const maxPerTurn = 16;

/** Deliveries that are leased at once: each time can take a transaction. */
const maxPerLease = 64;

type DispatcherOptions = {
	readonly attempts: Attempts;
	/** Tells of new deliveries. */
	readonly feed: Feed;
	/** Rings when there may be more to do for other reasons, as when an attempt is over. */
	readonly timer: Timer;
	readonly now: () => Date;
	readonly log: Log;
};

/**
 * Begins the attempts of all deliveries when they are due. It keeps no queue of its own: the store says what is due, also
 * after a restart.
 */
export class Dispatcher implements Part {
	readonly name = 'webhook dispatcher';
	readonly #store: Pick<Store, 'deliveries'>;
	readonly #options: DispatcherOptions;
	#isStopping = false;
	#lookedForInterruptedAt = 0;
	#running: Promise<void> | undefined;

	constructor(store: Pick<Store, 'deliveries'>, options: DispatcherOptions) {
		this.#store = store;
		this.#options = options;
	}

	async start(): Promise<void> {
		await this.#failInterruptedTests();
		this.#running = this.#run();
	}

	async stop(): Promise<void> {
		this.#isStopping = true;
		this.#options.timer.wake();
		await this.#running;
		await this.#options.attempts.stop();
	}

	/** Nobody waits any more for test deliveries that the end of a node interrupted, and no attempt would follow. */
	async #failInterruptedTests(): Promise<void> {
		const {now, log} = this.#options;
		const {deliveries} = this.#store;
		this.#lookedForInterruptedAt = now().getTime();
		const outcome = {ok: false, status: null, body: 'The daemon stopped before the receiver responded.'};
		for (const delivery of await deliveries.leaseInterrupted()) {
			await deliveries.finish(afterAttempt(delivery, outcome, now(), 0)).catch(async error => {
				log.warn({delivery: delivery.id, err: error}, 'Could not mark an interrupted webhook test as failed');
				await deliveries.release(delivery.id);
			});
		}
	}

	async #run(): Promise<void> {
		const {feed, timer, log} = this.#options;
		while (!this.#isStopping) {
			const stopListening = feed.listen([topics.deliveries], timer);
			const sleepMs = await this.#round().catch(error => {
				log.error({err: error}, 'Reading due webhook deliveries failed; retrying');
				return afterFailureMs;
			});
			await timer.sleep(sleepMs);
			stopListening();
		}
	}

	/** Begins all that can begin now, and resolves to the milliseconds until more becomes due. */
	async #round(): Promise<number> {
		const {attempts} = this.#options;
		const {deliveries} = this.#store;
		const now = this.#options.now();
		const at = now.toISOString();
		if (now.getTime() - this.#lookedForInterruptedAt >= interruptedEveryMs) {
			await this.#failInterruptedTests();
		}

		while (!this.#isStopping) {
			const {room} = attempts;
			const all = Math.min(room.all, maxPerLease);
			const due = all > 0 ? await deliveries.lease(at, {...room, all}) : [];
			for (let first = 0; first < due.length; first += maxPerTurn) {
				for (const each of due.slice(first, first + maxPerTurn)) {
					attempts.begin(each);
				}

				await turn();
			}

			if (due.length === 0 || due.length < all) {
				break;
			}
		}

		const next = await deliveries.nextDue(at);
		return next === undefined ? maxSleepMs : Math.min(Date.parse(next) - now.getTime(), maxSleepMs);
	}
}
