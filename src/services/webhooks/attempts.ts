import {setMaxListeners} from 'node:events';
import {setTimeout} from 'node:timers/promises';
import {AppError} from '../../domain/errors.js';
import {afterAttempt, type Delivery, type Endpoint, type SendWebhook} from '../../domain/webhook.js';
import {signedHeaders} from '../../domain/webhook-request.js';
import {FairQueue} from '../../lib/fair-queue.js';
import type {Log} from '../../lib/log.js';
import {retry} from '../../lib/retry.js';
import type {Busy, Due, Store} from '../../store/store.js';
import {Lanes} from './lanes.js';

export type AttemptsOptions = {
	readonly send: SendWebhook;
	/** The n-th wait between attempts is n times this. */
	readonly retryDelayMs: number;
	/** Called when an attempt is over, so that others may begin. */
	readonly onOver: () => void;
	/** Called when an attempt was written to the log of its endpoint, which is that user's. */
	readonly onRecorded: (delivery: Delivery, userId: string) => void;
	readonly now: () => Date;
	readonly log: Log;
};

type Outcome = Promise<Delivery | undefined>;

type Condition = (delivery: Delivery, endpoint: Endpoint) => boolean;

/** Attempts at a time, of all users: enough for hundreds of receivers that never answer beside those that do. */
const maxUnderWay = 512;

const writeBackoff = {minMs: 250, maxMs: 30_000};

/** After a failure that nobody expected. */
const unexpectedMs = 1000;

/**
 * Makes attempts, at most one at a time for a delivery, and writes down what came of them. Users take turns, and no user has
 * more attempts under way than are left for the others. An attempt that the end of the daemon interrupts counts as not
 * made: the delivery is still due, and the receiver may see it twice, with the same id.
 */
export class Attempts {
	readonly #store: Pick<Store, 'endpoints' | 'deliveries'>;
	readonly #options: AttemptsOptions;
	/** By user. */
	readonly #places = new FairQueue(Array.from({length: maxUnderWay}, (_, place) => place));
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
	get free(): number {
		return this.#places.free;
	}

	/** What no further attempt can be made for now. */
	get busy(): Busy {
		return {
			users: {has: userId => !this.#places.hasRoom(userId)},
			endpoints: {has: endpointId => this.#lanes.isFull(endpointId)},
			deliveries: this.#underWay,
		};
	}

	/** Begins an attempt for what was found due at `now`, unless it, its endpoint or its user has become busy since. */
	begin(due: Due, now: string): void {
		const {users, endpoints, deliveries} = this.busy;
		const {delivery, endpoint} = due;
		if (!deliveries.has(delivery.id) && !endpoints.has(endpoint.id) && !users.has(endpoint.userId)) {
			const isDue = ({nextAttemptAt}: Delivery) => nextAttemptAt !== null && nextAttemptAt <= now;
			this.#start(due, (found, {isActive}) => isActive && isDue(found)).catch(() => {});
		}
	}

	/**
	 * Makes an attempt whatever the state, as soon as the endpoint has fewer than four and it is the user's turn, and
	 * resolves to the delivery as it then is; undefined when it is gone. If one is under way already, its outcome is the
	 * answer. Throws `stopping`.
	 */
	async make(wanted: Due): Outcome {
		const {delivery, endpoint} = wanted;
		while (!this.#underWay.has(delivery.id) && this.#lanes.isCrowded(endpoint.id)) {
			await this.#lanes.oneLess(endpoint.id);
		}

		return this.#underWay.get(delivery.id) ?? this.#start(wanted, () => true);
	}

	/** Interrupts the attempts under way, and resolves when what came of the others is written. */
	async stop(): Promise<void> {
		this.#stop.abort();
		await Promise.allSettled(this.#underWay.values());
	}

	#start({delivery: {id}, endpoint}: Due, isWanted: Condition): Outcome {
		this.#lanes.enter(endpoint.id);
		const outcome = this.#places.run(endpoint.userId, () => this.#run(id, endpoint.id, isWanted));
		this.#underWay.set(id, outcome);
		return outcome;
	}

	async #run(id: string, endpointId: string, isWanted: Condition): Outcome {
		let delivery: Delivery | undefined;
		try {
			delivery = await this.#attempt(id, isWanted);
			return delivery;
		} catch (error) {
			await this.#report(error, id);
			throw error;
		} finally {
			this.#underWay.delete(id);
			this.#lanes.leave(endpointId, delivery?.status === 'delivered');
			this.#options.onOver();
		}
	}

	async #attempt(id: string, isWanted: Condition): Outcome {
		const found = await this.#store.deliveries.get(id);
		const endpoint = found && (await this.#store.endpoints.get(found.endpointId));
		if (!endpoint || !isWanted(found, endpoint)) {
			return endpoint && found;
		}

		const {body, event} = found;
		const {send, now, retryDelayMs, onRecorded, log} = this.#options;
		const {userId, url, secret} = endpoint;
		const headers = signedHeaders({deliveryId: id, event, body, secret, at: now()});
		const attempt = await send({userId, url, headers, body, signal: this.#stop.signal});
		if (attempt.status === null && this.#stop.signal.aborted) {
			throw new AppError('stopping', 'The daemon is stopping. Try again when it runs.');
		}

		const after = afterAttempt(found, attempt, now(), retryDelayMs);
		const onFailure = (err: unknown) => log.warn({err}, 'a webhook delivery could not be written down; trying again');
		// However long the disk is full: what was sent but not written down would be sent again and again.
		await retry(() => this.#record(after, endpoint), {...writeBackoff, signal: this.#stop.signal, onFailure});
		onRecorded(after, userId);
		return after;
	}

	/** Status 410 says that the receiver is gone for good: nothing more is sent there unless somebody asks for it. */
	async #record(delivery: Delivery, {id, url}: Endpoint): Promise<void> {
		if (delivery.responseStatus === 410 && (await this.#store.endpoints.get(id))?.url === url) {
			await this.#store.endpoints.update(id, {isActive: false});
		}

		await this.#store.deliveries.put([delivery]);
	}

	/** The delivery is still due: without a pause, a failure that nobody expected would be met again at once. */
	async #report(error: unknown, deliveryId: string): Promise<void> {
		if (!this.#stop.signal.aborted) {
			this.#options.log.error({err: error, delivery: deliveryId}, 'a webhook attempt failed unexpectedly');
			await setTimeout(unexpectedMs, undefined, {signal: this.#stop.signal}).catch(() => {});
		}
	}
}
