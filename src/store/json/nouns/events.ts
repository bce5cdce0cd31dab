import {randomUUID} from 'node:crypto';
import {type FeedItem, topicsOf} from '../../../domain/feed.js';
import type {EventListener, EventReading, EventStore} from '../../port.js';

/** How many items are kept for those who come back. */
const defaultCapacity = 10_000;

/** Events in memory: the only process that adds any is the only one that reads them. */
export class EventsInMemory implements EventStore {
	/** Cursors of another run mean nothing here. */
	readonly #run = randomUUID();
	readonly #capacity: number;
	#items: FeedItem[] = [];
	#end = 0;
	/** By user, the place behind the last change of what the user may see, while its item is kept. */
	readonly #scopeChanges = new Map<string, number>();
	#listener: EventListener | undefined;

	constructor(capacity = defaultCapacity) {
		this.#capacity = capacity;
	}

	/** At once. */
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
			for (const [userId, place] of this.#scopeChanges) {
				if (place <= this.#start) {
					this.#scopeChanges.delete(userId);
				}
			}
		}

		this.#listener?.ring(topicsOf(items));
	}

	async end(): Promise<string> {
		return this.#cursorOf(this.#end);
	}

	hasNews(cursor: string): boolean {
		return this.#placeOf(cursor) !== this.#end;
	}

	async read(cursor: string, maxItems: number): Promise<EventReading | undefined> {
		const place = this.#placeOf(cursor);
		if (place === undefined) {
			return undefined;
		}

		const index = place - this.#start;
		return {
			items: this.#items.slice(index, index + maxItems),
			cursorAfter: count => this.#cursorOf(place + count),
		};
	}

	async isSameScope(userId: string, cursor: string): Promise<boolean> {
		const place = this.#placeOf(cursor);
		return place !== undefined && (this.#scopeChanges.get(userId) ?? 0) <= place;
	}

	listen(listener: EventListener): void {
		this.#listener = listener;
	}

	/** Before the first item that is kept. */
	get #start(): number {
		return this.#end - this.#items.length;
	}

	#cursorOf(place: number): string {
		return `${this.#run}:${place}`;
	}

	#placeOf(cursor: string): number | undefined {
		const [, run, digits = ''] = /^([^:]*):(\d{1,15})$/.exec(cursor) ?? [];
		const place = Number(digits);
		return run === this.#run && place >= this.#start && place <= this.#end ? place : undefined;
	}
}
