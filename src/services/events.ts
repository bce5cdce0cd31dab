import {randomUUID} from 'node:crypto';
import type {Inbox} from '../domain/inbox.js';
import type {Message} from '../domain/message.js';
import type {Delivery} from '../domain/webhook.js';

/** Something that changed, once it is durable. */
export type Change =
	| {readonly type: 'message.received' | 'message.deleted'; readonly message: Message; readonly inbox: Inbox}
	| {readonly type: 'inbox.created' | 'inbox.changed' | 'inbox.deleted'; readonly inbox: Inbox}
	| {readonly type: 'delivery.changed'; readonly delivery: Delivery; readonly userId: string}
	/** Who may see what has changed, as when a team gets a member. */
	| {readonly type: 'scope'};

/** How many changes are kept for those who come back. */
const defaultCapacity = 10_000;

/** How many are handed out at once. */
const batchSize = 500;

/** How long changes are still kept when the last follower has left. */
const lingerMs = 60_000;

/**
 * The latest changes, numbered in one run of the daemon. Followers read at their own pace and hold nothing up: one that
 * falls too far behind, or asks for another run, learns that something is missing. Nothing is kept while nobody follows.
 */
export class Events {
	readonly #run = randomUUID();
	readonly #capacity: number;
	readonly #waiters = new Set<() => void>();
	#changes: Change[] = [];
	#end = 0;
	#followers = 0;
	#linger: NodeJS.Timeout | undefined;
	#isStopped = false;

	constructor(capacity = defaultCapacity) {
		this.#capacity = capacity;
	}

	/** Whether somebody wants to know what changed. */
	get isWatched(): boolean {
		return this.#followers > 0 || this.#linger !== undefined;
	}

	get isStopped(): boolean {
		return this.#isStopped;
	}

	/** Where the next change will stand. */
	get end(): number {
		return this.#end;
	}

	/**
	 * Adds changes; undefined are those that were not looked at because nobody wanted to know. Whoever comes back learns
	 * that they are missing.
	 */
	tell(changes: readonly Change[] | undefined): void {
		if (changes === undefined || !this.isWatched) {
			this.#end++;
			this.#changes = [];
		} else {
			this.#end += changes.length;
			this.#changes.push(...changes);
		}

		if (this.#changes.length >= 2 * this.#capacity) {
			this.#changes = this.#changes.slice(-this.#capacity);
		}

		this.#wake();
	}

	/** The next changes from `start` on, oldest first; undefined when they are no longer known. */
	since(start: number): readonly Change[] | undefined {
		const index = start - (this.#end - this.#changes.length);
		return index < 0 || start > this.#end ? undefined : this.#changes.slice(index, index + batchSize);
	}

	/** The name of a position, under which a client can come back. */
	idOf(position: number): string {
		return `${this.#run}:${position}`;
	}

	/** The position of that name; undefined for one of another run. */
	positionOf(id: string): number | undefined {
		const [run, position] = id.split(':');
		return run === this.#run && /^\d{1,15}$/.test(position ?? '') ? Number(position) : undefined;
	}

	/** Counts a follower until the result is called. */
	join(): () => void {
		this.#followers++;
		clearTimeout(this.#linger);
		this.#linger = undefined;
		return () => {
			this.#followers--;
			if (this.#followers === 0) {
				this.#linger = setTimeout(() => {
					this.#linger = undefined;
				}, lingerMs).unref();
			}
		};
	}

	/** Resolves at the next change, after `ms`, or when the signal aborts; at once when there is more than `position`. */
	async changed(position: number, ms: number, signal: AbortSignal): Promise<void> {
		if (this.#end > position || this.#isStopped || signal.aborted) {
			return;
		}

		await new Promise<void>(resolve => {
			const wake = () => {
				clearTimeout(timer);
				this.#waiters.delete(wake);
				signal.removeEventListener('abort', wake);
				resolve();
			};
			const timer = setTimeout(wake, ms);
			this.#waiters.add(wake);
			signal.addEventListener('abort', wake);
		});
	}

	/** Ends all who follow. */
	stop(): void {
		this.#isStopped = true;
		clearTimeout(this.#linger);
		this.#wake();
	}

	#wake(): void {
		for (const wake of [...this.#waiters]) {
			wake();
		}
	}
}
