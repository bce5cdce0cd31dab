import {setTimeout as sleep} from 'node:timers/promises';
import type {Store, Usage} from '../store/port.js';

/** What there was in the store, and the bytes that it took. */
export type StoreFigures = {readonly usage: Usage; readonly bytes: number};

export type StoreSampleOptions = {
	/** A sample is good for so long, and for `timesTaken` times as long as it took. */
	readonly goodForMs?: number;
	/** How long somebody who asks waits for a new one. */
	readonly patienceMs?: number;
};

/** What it costs to look at a large store is no more than this part of the time. */
const timesTaken = 50;

/** Looks at the store now and then, while somebody asks for it. */
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

	/** The last that is known; undefined before the first. It waits a little for a new one, and never rejects. */
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
			// While the store is away, what was known of it stays.
		} finally {
			const now = performance.now();
			this.#goodUntil = now + Math.max(this.#options.goodForMs, (now - begun) * timesTaken);
			this.#looking = undefined;
		}
	}
}
