import {setImmediate as turn} from 'node:timers/promises';
import type {Part} from '../../lib/lifecycle.js';
import type {Log} from '../../lib/log.js';
import {FairQueue} from '../../lib/queue/fair-queue.js';
import type {Store} from '../../store/port.js';

const sweepEveryMs = 10_000;
const sweepAllEveryMs = 3_600_000;
const failed = 'Deleting old webhook deliveries failed; retrying';

/** Limit of a user's delivery log, in full endpoint logs by weight. */
const endpointsInFull = 50;

/** Maximum characters of stored responses per endpoint and per user. */
const responses = {ofEndpoint: 1024 * 1024, ofUser: 64 * 1024 * 1024};

export type Retention = {
	/** Finished deliveries kept per endpoint. */
	readonly keep: number;
	/** Age at which they are deleted. */
	readonly keepMs: number;
};

type RetentionOptions = Retention & {
	readonly now: () => Date;
	readonly log: Log;
};

/** Limits the delivery logs of endpoints and users. */
export class DeliveryRetention implements Part {
	readonly name = 'delivery retention';
	readonly #store: Pick<Store, 'users' | 'endpoints' | 'deliveries' | 'usage'>;
	readonly #options: RetentionOptions;
	/** Trims one user's log at a time. */
	readonly #trims = new FairQueue(1);
	/** Users by endpoint whose log has grown. */
	#grown = new Map<string, string>();
	#sweepAllAt = 0;
	#timer: NodeJS.Timeout | undefined;
	#sweeping: Promise<void> = Promise.resolve();

	constructor(store: Pick<Store, 'users' | 'endpoints' | 'deliveries' | 'usage'>, options: RetentionOptions) {
		this.#store = store;
		this.#options = options;
	}

	async start(): Promise<void> {
		this.#sweeping = this.sweep();
		this.#timer = setInterval(() => {
			this.#sweeping = this.#sweeping.then(() => this.sweep());
		}, sweepEveryMs).unref();
	}

	async stop(): Promise<void> {
		clearInterval(this.#timer);
		await this.#sweeping;
	}

	/** Notes that the log of an endpoint has grown. */
	note(endpointId: string, userId: string): void {
		this.#grown.set(endpointId, userId);
	}

	/** Deletes the excess in a user's log immediately. Never rejects. */
	async trim(userId: string): Promise<void> {
		const {keep, log} = this.#options;
		await this.#trims
			.run(userId, async () => this.#store.deliveries.trim(userId, keep * endpointsInFull))
			.catch(error => log.warn({err: error}, failed));
	}

	/** Deletes deliveries beyond the limits in logs that have grown, and hourly in all logs. Never rejects. */
	async sweep(): Promise<void> {
		const {keep, keepMs, now, log} = this.#options;
		const at = now().getTime();
		const since = new Date(at - keepMs).toISOString();
		const grown = this.#grown;
		this.#grown = new Map();
		try {
			for (const [userId, endpointIds] of byUser(at < this.#sweepAllAt ? grown : await this.#allEndpoints())) {
				const {endpoints} = await this.#store.usage(userId);
				const responseLength = Math.min(responses.ofEndpoint, responses.ofUser / Math.max(1, endpoints));
				for (const id of endpointIds) {
					await this.#store.deliveries.prune(id, {keep, since, responseLength});
					await turn();
				}

				await this.trim(userId);
			}

			this.#sweepAllAt = at < this.#sweepAllAt ? this.#sweepAllAt : at + sweepAllEveryMs;
		} catch (error) {
			this.#grown = new Map([...grown, ...this.#grown]);
			log.warn({err: error}, failed);
		}
	}

	async #allEndpoints(): Promise<ReadonlyMap<string, string>> {
		const userOf = new Map<string, string>();
		for (const user of await this.#store.users.list()) {
			for (const {id} of await this.#store.endpoints.listOf(user.id)) {
				userOf.set(id, user.id);
			}
		}

		return userOf;
	}
}

function byUser(userOf: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
	const endpoints = new Map<string, string[]>();
	for (const [id, userId] of userOf) {
		const own = endpoints.get(userId) ?? [];
		own.push(id);
		endpoints.set(userId, own);
	}

	return endpoints;
}
