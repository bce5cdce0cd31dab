import {setMaxListeners} from 'node:events';
import {setTimeout} from 'node:timers/promises';
import {AppError} from '../domain/errors.js';
import {withBody} from '../domain/payload.js';
import {afterAttempt} from '../domain/retry.js';
import {signedHeaders} from '../domain/signature.js';
import type {Delivery, Endpoint, SendWebhook} from '../domain/webhook.js';
import type {Log} from '../lib/log.js';
import type {Busy, Store} from '../store/store.js';
import type {Lanes} from './lanes.js';

export type AttemptsOptions = {
	readonly send: SendWebhook;
	/** The n-th wait between attempts is n times this. */
	readonly retryDelayMs: number;
	readonly lanes: Lanes;
	/** Called with the id of an endpoint when an attempt was written to its log. */
	readonly onRecorded: (endpointId: string) => void;
	readonly now: () => Date;
	readonly log: Log;
};

type Condition = (delivery: Delivery, endpoint: Endpoint) => boolean;

/** Before a write is tried again: doubled each time. */
const retryWriteMs = {first: 250, longest: 30_000};

/** After a failure that nobody expected. */
const unexpectedMs = 1000;

/**
 * Makes attempts, at most one at a time for a delivery, and writes down what came of them. An attempt that the end of the
 * daemon interrupts counts as not made: the delivery is still due, and the receiver may see it twice, with the same id.
 */
export class Attempts {
	readonly #store: Pick<Store, 'endpoints' | 'deliveries' | 'messages'>;
	readonly #options: AttemptsOptions;
	readonly #underWay = new Map<string, Promise<Delivery | undefined>>();
	readonly #stop = new AbortController();

	constructor(store: Pick<Store, 'endpoints' | 'deliveries' | 'messages'>, options: AttemptsOptions) {
		this.#store = store;
		this.#options = options;
		// One for each attempt under way; the default is a guess at leaks.
		setMaxListeners(0, this.#stop.signal);
	}

	/** How many more attempts can begin now. */
	get free(): number {
		return this.#options.lanes.free;
	}

	/** What no further attempt can be made for now. */
	get busy(): Busy {
		return {endpoints: this.#options.lanes.full, deliveries: new Set(this.#underWay.keys())};
	}

	/** Begins an attempt for a delivery that was found due at `now`, unless it or its endpoint has become busy since. */
	begin({id, endpointId}: Delivery, now: string): void {
		if (!this.#underWay.has(id) && !this.#options.lanes.full.has(endpointId)) {
			const isDue = ({nextAttemptAt}: Delivery) => nextAttemptAt !== null && nextAttemptAt <= now;
			this.#start(id, endpointId, (delivery, {isActive}) => isActive && isDue(delivery)).catch(() => {});
		}
	}

	/**
	 * Makes an attempt whatever the state, as soon as the endpoint has fewer than four, and resolves to the delivery as it
	 * then is; undefined when it is gone. If one is under way already, its outcome is the answer. Throws `stopping`.
	 */
	async make({id, endpointId}: Delivery): Promise<Delivery | undefined> {
		const {lanes} = this.#options;
		while (!this.#underWay.has(id) && lanes.isCrowded(endpointId) && !this.#stop.signal.aborted) {
			await lanes.departure(endpointId, this.#stop.signal);
		}

		return this.#underWay.get(id) ?? this.#start(id, endpointId, () => true);
	}

	/** Interrupts the attempts under way, and resolves when what came of the others is written. */
	async stop(): Promise<void> {
		this.#stop.abort();
		await Promise.allSettled(this.#underWay.values());
	}

	#start(id: string, endpointId: string, isWanted: Condition): Promise<Delivery | undefined> {
		const outcome = this.#run(id, endpointId, isWanted);
		this.#underWay.set(id, outcome);
		return outcome;
	}

	async #run(id: string, endpointId: string, isWanted: Condition): Promise<Delivery | undefined> {
		const leave = this.#options.lanes.enter(endpointId);
		let delivery: Delivery | undefined;
		try {
			delivery = await this.#attempt(id, isWanted);
			return delivery;
		} catch (error) {
			await this.#report(error, id);
			throw error;
		} finally {
			this.#underWay.delete(id);
			leave(delivery?.status === 'delivered');
		}
	}

	async #attempt(id: string, isWanted: Condition): Promise<Delivery | undefined> {
		const found = await this.#store.deliveries.get(id);
		const endpoint = found && (await this.#store.endpoints.get(found.endpointId));
		if (!endpoint || !isWanted(found, endpoint)) {
			return endpoint && found;
		}

		const delivery = await this.#withBody(found);
		const {body, event} = delivery;
		if (body === null) {
			return delivery;
		}

		const {send, now, retryDelayMs, onRecorded} = this.#options;
		const {url, secret} = endpoint;
		const headers = signedHeaders({deliveryId: id, event, body, secret, at: now()});
		const attempt = await send({url, headers, body, signal: this.#stop.signal});
		if (attempt.status === null && this.#stop.signal.aborted) {
			throw new AppError('stopping', 'The daemon is stopping. Try again when it runs.');
		}

		const after = afterAttempt(delivery, attempt, now(), retryDelayMs);
		await this.#write(() => this.#record(after, endpoint));
		onRecorded(endpoint.id);
		return after;
	}

	/**
	 * A body is written before the first attempt, so that all attempts send the same bytes. As a rule it is there already;
	 * if not, the daemon had no time for it.
	 */
	async #withBody(delivery: Delivery): Promise<Delivery> {
		if (delivery.body !== null) {
			return delivery;
		}

		const message = await this.#store.messages.get(delivery.messageId ?? '');
		const written = withBody(delivery, message, this.#options.now());
		await this.#write(() => this.#store.deliveries.put([written]));
		return written;
	}

	/** Status 410 says that the receiver is gone for good: nothing more is sent there unless somebody asks for it. */
	async #record(delivery: Delivery, {id, url}: Endpoint): Promise<void> {
		if (delivery.responseStatus === 410 && (await this.#store.endpoints.get(id))?.url === url) {
			await this.#store.endpoints.update(id, {isActive: false});
		}

		await this.#store.deliveries.put([delivery]);
	}

	/** Writes, however long the disk is full: what was sent but not written down would be sent again and again. */
	async #write(write: () => Promise<void>): Promise<void> {
		for (let waitMs = retryWriteMs.first; ; waitMs = Math.min(2 * waitMs, retryWriteMs.longest)) {
			try {
				await write();
				return;
			} catch (error) {
				if (this.#stop.signal.aborted) {
					throw error;
				}

				this.#options.log.warn({err: error}, 'a webhook delivery could not be written down; trying again');
				await this.#pause(waitMs);
			}
		}
	}

	/** The delivery is still due: without a pause, a failure that nobody expected would be met again at once. */
	async #report(error: unknown, deliveryId: string): Promise<void> {
		if (!this.#stop.signal.aborted) {
			this.#options.log.error({err: error, delivery: deliveryId}, 'a webhook attempt failed unexpectedly');
			await this.#pause(unexpectedMs);
		}
	}

	async #pause(ms: number): Promise<void> {
		await setTimeout(ms, undefined, {signal: this.#stop.signal}).catch(() => {});
	}
}
