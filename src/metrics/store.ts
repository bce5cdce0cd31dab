import {setTimeout as sleep} from 'node:timers/promises';
import {Gauge, type Registry} from 'prom-client';
import type {Store, Usage} from '../store/port.js';

/** Contents of the store and their size. */
type StoreFigures = {readonly usage: Usage; readonly bytes: number};

type StoreSampleOptions = {
	/** Lifetime of a sample, extended to `timesTaken` times the time it took. */
	readonly goodForMs?: number;
	/** Maximum time that a request waits for a new sample. */
	readonly patienceMs?: number;
};

/** Lifetime of a sample as a multiple of the time it took. Bounds the cost of sampling a large store. */
const timesTaken = 50;

/** Cached sample of the store, taken on request. */
export class StoreSample {
	readonly #store: Pick<Store, 'usage' | 'size'>;
	readonly #options: Required<StoreSampleOptions>;
	#latest: StoreFigures | undefined;
	#goodUntil = 0;
	#looking: Promise<void> | undefined;

	constructor(store: Pick<Store, 'usage' | 'size'>, {goodForMs = 10_000, patienceMs = 250}: StoreSampleOptions = {}) {
		this.#store = store;
		this.#options = {goodForMs, patienceMs};
	}

	/** Latest sample; undefined before the first one. Waits a short time for a new one and never rejects. */
	async latest(): Promise<StoreFigures | undefined> {
		if (performance.now() >= this.#goodUntil) {
			this.#looking ??= this.#look();
			const enough = new AbortController();
			await Promise.race([this.#looking, sleep(this.#options.patienceMs, undefined, {signal: enough.signal})]);
			enough.abort();
		}

		return this.#latest;
	}

	async #look(): Promise<void> {
		const begun = performance.now();
		try {
			const [usage, bytes] = await Promise.all([this.#store.usage(), this.#store.size()]);
			this.#latest = {usage, bytes};
		} catch {
			// While the store is unavailable, the last sample remains.
		} finally {
			const now = performance.now();
			this.#goodUntil = now + Math.max(this.#options.goodForMs, (now - begun) * timesTaken);
			this.#looking = undefined;
		}
	}
}

/** Metrics of stored records by name. All nodes on one database report the same values. */
const figures: Readonly<Record<string, {readonly help: string; of(figures: StoreFigures): number}>> = {
	tinbox_store_messages: {
		help: 'Stored messages, as counted by --max-messages.',
		of: ({usage}) => usage.messages,
	},
	tinbox_store_mail_bytes: {help: 'Bytes of stored mail.', of: ({usage}) => usage.bytes},
	tinbox_store_inboxes: {help: 'Number of inboxes.', of: ({usage}) => usage.inboxes},
	tinbox_store_unfinished_deliveries: {
		help: 'Webhook deliveries that are pending or being retried.',
		of: ({usage}) => usage.deliveries,
	},
	tinbox_store_size_bytes: {
		help: 'Size of the store on disk or in the database in bytes, including space not yet reclaimed.',
		of: ({bytes}) => bytes,
	},
};

export function storeMetrics(registry: Registry, store: Pick<Store, 'usage' | 'size' | 'isAvailable'>): void {
	const registers = [registry];
	const sample = new StoreSample(store);
	new Gauge({
		name: 'tinbox_store_available',
		help: '1 if the store is available, otherwise 0.',
		registers,
		collect() {
			this.set(store.isAvailable() ? 1 : 0);
		},
	});
	for (const [name, {help, of}] of Object.entries(figures)) {
		new Gauge({
			name,
			help,
			registers,
			async collect() {
				const latest = await sample.latest();
				if (latest) {
					this.set(of(latest));
				} else {
					// An unknown value is absent, not 0.
					this.remove();
				}
			},
		});
	}
}
