import type {FeedItem} from '../../domain/feed-item.js';
import type {EventListener, EventStore} from '../../store/event-store.js';
import {type Bell, Bells} from './bells.js';

/**
 * Rings who waits for a change, from whichever node it came. Services publish to it once a write is durable, but for new mail, whose
 * items are of its commit. To wait, listen first, then look, and look again when rung: nothing falls in between.
 */
export class Feed implements EventListener {
	readonly #events: EventStore;
	readonly #bells = new Bells();

	constructor(events: EventStore) {
		this.#events = events;
		events.listen(this);
	}

	/** Adds the items to the events, and rings whom they concern. */
	async publish(items: readonly FeedItem[]): Promise<void> {
		await this.#events.append(items);
	}

	/** Rings the bell once when something comes for one of the topics; the result takes it off. */
	listen(topicNames: readonly string[], bell: Bell): () => void {
		return this.#bells.add(topicNames, bell);
	}

	ring(topicNames: Iterable<string> = this.#bells.topics): void {
		for (const topic of topicNames) {
			this.#bells.ring(topic);
		}
	}

	waiting(topic: string): number {
		return this.#bells.count(topic);
	}

	get size(): number {
		return this.#bells.size;
	}
}
