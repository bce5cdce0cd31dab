import {randomUUID} from 'node:crypto';
import {type FeedItem, topicsOf} from '../../../domain/feed.js';
import type {EventListener, EventReading, EventStore} from '../../port.js';

/** Minimum number of events kept for readers with an older cursor. */
const defaultCapacity = 10_000;

/** Events in memory, since a single process adds and reads them. */
export class EventsInMemory implements EventStore {
	/** Part of all cursors, which are valid for one run of the process. */
	readonly #run = randomUUID();
	readonly #capacity: number;
	#items: FeedItem[] = [];
	/** Position after the last event. */
	#end = 0;
	/** Position after the last change of the scope of a user, by user id, while the event is kept. */
	readonly #scopeChanges = new Map<string, number>();
	#listener: EventListener | undefined;

	constructor(capacity = defaultCapacity) {
		this.#capacity = capacity;
	}

	async append(items: readonly FeedItem[]): Promise<void> {
		for (const item of items) {
			this.#items.push(item);
			this.#end++;
			for (const userId of item.type === 'scope' ? item.userIds : []) {
				this.#scopeChanges.set(userId, this.#end);
			}
		}

		if (this.#items.length >= 2 * this.#capacity) {
			this.#items = this.#items.slice(-this.#capacity);
			for (const [userId, position] of this.#scopeChanges) {
				if (position <= this.#start) {
					this.#scopeChanges.delete(userId);
				}
			}
		}

		this.#listener?.wake(topicsOf(items));
	}

	async end(): Promise<string> {
		return this.#cursorOf(this.#end);
	}

	hasNews(cursor: string): boolean {
		return this.#positionOf(cursor) !== this.#end;
	}

	async read(cursor: string, maxItems: number): Promise<EventReading | undefined> {
		const position = this.#positionOf(cursor);
		if (position === undefined) {
			return undefined;
		}

		const index = position - this.#start;
		return {
			items: this.#items.slice(index, index + maxItems),
			cursorAfter: count => this.#cursorOf(position + count),
		};
	}

	async isSameScope(userId: string, cursor: string): Promise<boolean> {
		const position = this.#positionOf(cursor);
		return position !== undefined && (this.#scopeChanges.get(userId) ?? 0) <= position;
	}

	listen(listener: EventListener): void {
		this.#listener = listener;
	}

	/** Position before the first kept event. */
	get #start(): number {
		return this.#end - this.#items.length;
	}

	#cursorOf(position: number): string {
		return `${this.#run}:${position}`;
	}

	#positionOf(cursor: string): number | undefined {
		const [, run, digits = ''] = /^([^:]*):(\d{1,15})$/.exec(cursor) ?? [];
		const position = Number(digits);
		return run === this.#run && position >= this.#start && position <= this.#end ? position : undefined;
	}
}
