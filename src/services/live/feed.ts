import type {FeedItem} from '../../domain/feed.js';
import {Notifier, type Waiter} from '../../lib/queue/notifier.js';
import type {EventListener, EventStore} from '../../store/port.js';

/**
 * Wakes waiters when something changes, on any node. Services publish events after the commit. The store itself
 * publishes the events of a mail commit, and of evictions after a retention change. A waiter listens first, then reads the store, and reads it again when woken, so that it misses nothing.
 */
export class Feed implements EventListener {
	readonly #events: EventStore;
	readonly #notifier = new Notifier();

	constructor(events: EventStore) {
		this.#events = events;
		events.listen(this);
	}

	/** Appends the items to the events, which wakes the waiters of their topics. */
	async publish(items: readonly FeedItem[]): Promise<void> {
		await this.#events.append(items);
	}

	/** Wakes the waiter at the next event of one of the topics, once. Returns the function that removes it. */
	listen(topicNames: readonly string[], waiter: Waiter): () => void {
		return this.#notifier.add(topicNames, waiter);
	}

	wake(topicNames: Iterable<string> = this.#notifier.topics): void {
		for (const topic of topicNames) {
			this.#notifier.notify(topic);
		}
	}

	waiting(topic: string): number {
		return this.#notifier.count(topic);
	}

	get size(): number {
		return this.#notifier.size;
	}
}
