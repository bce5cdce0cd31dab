import type {FeedItem} from '../domain/feed.js';
import type {Part} from '../lib/lifecycle.js';
import type {Log} from '../lib/log.js';
import type {Feed} from './live/feed.js';

/** Longest wait in milliseconds: other nodes may add things that expire, and clocks are set. */
const maxWaitMs = 30_000;

/** Pause after a failed deletion, in milliseconds. */
const retryMs = 5000;

/** Things that expire. */
export type Expiring = {
	/** Plural noun for the log, as in "inboxes". */
	readonly things: string;
	/** Time of the next expiry (ISO 8601); undefined if there is none. */
	next(): Promise<string | undefined>;
	/** Deletes some of the things that expired before `now`, and returns the events to publish. */
	deleteExpired(now: string): Promise<readonly FeedItem[]>;
};

export type ExpiryOptions = {readonly feed: Feed; readonly now: () => Date; readonly log: Log};

/**
 * Deletes things when they expire, with a single timer for the next of them. The node that deletes a thing publishes the
 * event.
 */
export class Expiry implements Part {
	readonly name: string;
	readonly #expiring: Expiring;
	readonly #options: ExpiryOptions;
	#timer: NodeJS.Timeout | undefined;
	/** Time of the timer in milliseconds. */
	#wakeAt = Number.POSITIVE_INFINITY;
	#isStopped = false;

	constructor(expiring: Expiring, options: ExpiryOptions) {
		this.name = expiring.things;
		this.#expiring = expiring;
		this.#options = options;
	}

	async start(): Promise<void> {
		await this.sweep();
	}

	async stop(): Promise<void> {
		this.#isStopped = true;
		clearTimeout(this.#timer);
	}

	/** Schedules the expiry of something new at `at` (ISO 8601). */
	schedule(at: string): void {
		const time = Date.parse(at);
		if (time < this.#wakeAt) {
			this.#wait(time - this.#options.now().getTime());
		}
	}

	/** Deletes everything that has expired by now. */
	async deleteDue(): Promise<void> {
		const next = await this.#expiring.next();
		if (next !== undefined && next <= this.#options.now().toISOString()) {
			await this.sweep();
		}
	}

	/** Deletes what has expired, in small steps, and schedules the next run. */
	async sweep(): Promise<void> {
		const now = this.#options.now().toISOString();
		let next = await this.#expiring.next();
		while (next !== undefined && next <= now && !this.#isStopped) {
			await this.#options.feed.publish(await this.#expiring.deleteExpired(now));
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
				this.#options.log.error({err: error}, `Deleting expired ${this.name} failed; retrying`);
				this.#wait(retryMs);
			});
		}, waitMs).unref();
	}
}
