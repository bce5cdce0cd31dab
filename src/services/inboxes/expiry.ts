import type {Log} from '../../lib/log.js';
import type {Store} from '../../store/store.js';
import type {Feed} from '../live/feed.js';

/** The longest time-out that `setTimeout` can count. */
const maxTimeoutMs = 2 ** 31 - 1;

/** After a deletion that failed, as on a disk out of order. */
const retryMs = 5000;

export type ExpiryOptions = {readonly feed: Feed; readonly now: () => Date; readonly log: Log};

/** Deletes inboxes, with their mail, when their time is over. One timer waits for the next of them. */
export class Expiry {
	readonly #store: Pick<Store, 'inboxes'>;
	readonly #options: ExpiryOptions;
	#timer: NodeJS.Timeout | undefined;
	/** No inbox expires before this (ISO 8601). */
	#nextAt: string | undefined;
	#isStopped = false;

	constructor(store: Pick<Store, 'inboxes'>, options: ExpiryOptions) {
		this.#store = store;
		this.#options = options;
	}

	stop(): void {
		this.#isStopped = true;
		clearTimeout(this.#timer);
	}

	/** Takes note of an inbox that expires at `at` (ISO 8601). */
	expect(at: string): void {
		if (this.#nextAt === undefined || at < this.#nextAt) {
			this.#wait(at, new Date(at).getTime() - this.#options.now().getTime());
		}
	}

	/** Makes sure that no inbox is there any more whose time is over. False when there was none. */
	async settle(): Promise<boolean> {
		const isNeeded = this.#nextAt !== undefined && this.#nextAt <= this.#options.now().toISOString();
		if (isNeeded) {
			await this.sweep();
		}

		return isNeeded;
	}

	/** Deletes what has expired, also while nobody was running, bit by bit, and waits for the next. */
	async sweep(): Promise<void> {
		const {inboxes} = this.#store;
		const now = this.#options.now().toISOString();
		let next = await inboxes.nextExpiry();
		while (next !== undefined && next <= now && !this.#isStopped) {
			const gone = await inboxes.deleteExpired(now);
			this.#options.feed.publish(gone.map(inbox => ({type: 'inbox.deleted', inbox})));
			next = await inboxes.nextExpiry();
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
					this.#options.log.error({err: error}, 'expired inboxes could not be deleted');
					this.#wait(at, retryMs);
				});
			},
			Math.min(Math.max(ms, 0), maxTimeoutMs),
		).unref();
	}
}
