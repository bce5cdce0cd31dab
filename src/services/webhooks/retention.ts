import {setImmediate as turn} from 'node:timers/promises';
import type {Part} from '../../lib/lifecycle.js';
import type {Log} from '../../lib/log.js';
import {FairQueue} from '../../lib/queue/fair-queue.js';
import type {Store} from '../../store/port.js';

const sweepEveryMs = 10_000;
const sweepAllEveryMs = 3_600_000;
const failed = 'Deleting old webhook deliveries failed; retrying';

/** A user's log keeps as much as the logs of so many endpoints, by weight. */
const endpointsInFull = 50;

/** Characters of all responses in the log of an endpoint, and of a user. */
const responses = {ofEndpoint: 1024 * 1024, ofUser: 64 * 1024 * 1024};

export type Retention = {
	/** Finished deliveries of an endpoint that are kept. */
	readonly keep: number;
	/** How long they are kept. */
	readonly keepMs: number;
};

export type RetentionOptions = Retention & {
	readonly now: () => Date;
	readonly log: Log;
};

/** Keeps the delivery logs of each endpoint and each user from growing without end. */
export class DeliveryRetention implements Part {
	readonly name = 'delivery retention';
	readonly #store: Pick<Store, 'users' | 'endpoints' | 'deliveries' | 'usage'>;
	readonly #options: RetentionOptions;
	/** One user's log after the other. */
	readonly #trims = new FairQueue(1);
	/** Endpoints whose log has grown, and whose they are. */
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

	/** Something was written to the log of the endpoint of that user. */
	note(endpointId: string, userId: string): void {
		this.#grown.set(endpointId, userId);
	}

	/** Takes away at once what is too much in the log of the user. Never rejects. */
	async trim(userId: string): Promise<void> {
		const {keep, log} = this.#options;
		await this.#trims
			.run(userId, async () => this.#store.deliveries.trim(userId, keep * endpointsInFull))
			.catch(error => log.warn({err: error}, failed));
	}

	/** Takes away what is too much or too old, of the endpoints whose log has grown, and once an hour of all. Never rejects. */
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
