import type {Part} from '../../lib/lifecycle.js';
import type {Log} from '../../lib/log.js';
import type {Store} from '../../store/store.js';

const sweepEveryMs = 10_000;
const sweepAllEveryMs = 3_600_000;

/** Characters of all responses in the log of an endpoint. */
const responseLength = 1024 * 1024;

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

/** Keeps the delivery log of each endpoint from growing without end. */
export class DeliveryRetention implements Part {
	readonly name = 'delivery retention';
	readonly #store: Pick<Store, 'users' | 'endpoints' | 'deliveries'>;
	readonly #options: RetentionOptions;
	#grown = new Set<string>();
	#sweepAllAt = 0;
	#timer: NodeJS.Timeout | undefined;
	#sweeping: Promise<void> = Promise.resolve();

	constructor(store: Pick<Store, 'users' | 'endpoints' | 'deliveries'>, options: RetentionOptions) {
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

	/** An attempt was written to the log of the endpoint. */
	note(endpointId: string): void {
		this.#grown.add(endpointId);
	}

	/** Takes away what is too much or too old, of the endpoints whose log has grown, and once an hour of all. Never rejects. */
	async sweep(): Promise<void> {
		const {keep, keepMs, now, log} = this.#options;
		const at = now().getTime();
		const limits = {keep, since: new Date(at - keepMs).toISOString(), responseLength};
		const endpointIds = this.#grown;
		this.#grown = new Set();
		try {
			for (const id of at < this.#sweepAllAt ? endpointIds : await this.#allEndpoints()) {
				await this.#store.deliveries.prune(id, limits);
			}

			this.#sweepAllAt = at < this.#sweepAllAt ? this.#sweepAllAt : at + sweepAllEveryMs;
		} catch (error) {
			this.#grown = new Set([...endpointIds, ...this.#grown]);
			log.warn({err: error}, 'old webhook deliveries could not be deleted; trying again');
		}
	}

	async #allEndpoints(): Promise<readonly string[]> {
		const ids: string[] = [];
		for (const {id} of await this.#store.users.list()) {
			ids.push(...(await this.#store.endpoints.listOf(id)).map(endpoint => endpoint.id));
		}

		return ids;
	}
}
