import type {FeedItem} from '../domain/feed.js';
import type {Log} from '../lib/log.js';
import type {Feed} from './live/feed.js';

/** The longest wait: other nodes make things that expire, and clocks are set. */
const maxWaitMs = 30_000;

/** After a deletion that failed, as on a disk out of order. */
const retryMs = 5000;

/** What can expire. */
export type Expiring = {
	/** As in "inboxes". */
	readonly things: string;
	/** When the next of them expires (ISO 8601); undefined when none does. */
	next(): Promise<string | undefined>;
	/** Deletes some of those that are over at `now`, and resolves to what is to be published. */
	deleteOver(now: string): Promise<readonly FeedItem[]>;
};

export type ExpiryOptions = {readonly feed: Feed; readonly now: () => Date; readonly log: Log};

/**
 * Deletes things, with all that belongs to them, when their time is over. One timer waits for the next of them. Of several nodes
 * the one that deletes a thing publishes that.
 */
export class Expiry {
	readonly #expiring: Expiring;
	readonly #options: ExpiryOptions;
	#timer: NodeJS.Timeout | undefined;
	/** When the timer goes off (milliseconds of the clock). */
	#wakeAt = Number.POSITIVE_INFINITY;
	#isStopped = false;

	constructor(expiring: Expiring, options: ExpiryOptions) {
		this.#expiring = expiring;
		this.#options = options;
	}

	stop(): void {
		this.#isStopped = true;
		clearTimeout(this.#timer);
	}

	/** Takes note of something that expires at `at` (ISO 8601). */
	expect(at: string): void {
		const time = Date.parse(at);
		if (time < this.#wakeAt) {
			this.#wait(time - this.#options.now().getTime());
		}
	}

	/** Makes sure that nothing is there any more whose time is over. */
	async settle(): Promise<void> {
		const next = await this.#expiring.next();
		if (next !== undefined && next <= this.#options.now().toISOString()) {
			await this.sweep();
		}
	}

	/** Deletes what has expired, also while nobody was running, bit by bit, and waits for the next. */
	async sweep(): Promise<void> {
		const now = this.#options.now().toISOString();
		let next = await this.#expiring.next();
		while (next !== undefined && next <= now && !this.#isStopped) {
			await this.#options.feed.publish(await this.#expiring.deleteOver(now));
			next = await this.#expiring.next();
		}

		this.#wait(next === undefined ? maxWaitMs : Date.parse(next) - this.#options.now().getTime());
	}

	#wait(ms: number): void {
		clearTimeout(this.#timer);
		if (this.#isStopped) {
			return;
		}

		const waitMs = Math.min(Math.max(ms, 0), maxWaitMs);
		this.#wakeAt = this.#options.now().getTime() + waitMs;
		this.#timer = setTimeout(() => {
			this.sweep().catch(error => {
				this.#options.log.error({err: error}, `Deleting expired ${this.#expiring.things} failed; retrying`);
				this.#wait(retryMs);
			});
		}, waitMs).unref();
	}
}
