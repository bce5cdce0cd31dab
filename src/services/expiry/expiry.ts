import type {FeedItem} from '../../domain/feed-item.js';
import type {Log} from '../../lib/log.js';
import type {Feed} from '../live/feed.js';

/** The longest time-out that `setTimeout` can count. */
const maxTimeoutMs = 2 ** 31 - 1;

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

/** Deletes things, with all that belongs to them, when their time is over. One timer waits for the next of them. */
export class Expiry {
	readonly #expiring: Expiring;
	readonly #options: ExpiryOptions;
	#timer: NodeJS.Timeout | undefined;
	/** Nothing expires before this (ISO 8601). */
	#nextAt: string | undefined;
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
		if (this.#nextAt === undefined || at < this.#nextAt) {
			this.#wait(at, new Date(at).getTime() - this.#options.now().getTime());
		}
	}

	/** Makes sure that nothing is there any more whose time is over. False when there was none. */
	async settle(): Promise<boolean> {
		const isNeeded = this.#nextAt !== undefined && this.#nextAt <= this.#options.now().toISOString();
		if (isNeeded) {
			await this.sweep();
		}

		return isNeeded;
	}

	/** Deletes what has expired, also while nobody was running, bit by bit, and waits for the next. */
	async sweep(): Promise<void> {
		const now = this.#options.now().toISOString();
		let next = await this.#expiring.next();
		while (next !== undefined && next <= now && !this.#isStopped) {
			await this.#options.feed.publish(await this.#expiring.deleteOver(now));
			next = await this.#expiring.next();
		}

		this.#nextAt = undefined;
		if (next !== undefined) {
			this.expect(next);
		}
	}

	#wait(at: string, ms: number): void {
		clearTimeout(this.#timer);
		if (this.#isStopped) {
			return;
		}

		this.#nextAt = at;
		this.#timer = setTimeout(
			() => {
				this.sweep().catch(error => {
					this.#options.log.error({err: error}, `expired ${this.#expiring.things} could not be deleted`);
					this.#wait(at, retryMs);
				});
			},
			Math.min(Math.max(ms, 0), maxTimeoutMs),
		).unref();
	}
}
