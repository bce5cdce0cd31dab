import type {FeedItem} from '../../domain/feed.js';
import type {EventListener, EventStore} from '../../store/port.js';

/**
 * Rings who waits for a change, from whichever node it came. Services publish to it once a write is durable, but for new mail, whose
 * items are of its commit. To wait, listen first, then look, and look again when rung: nothing falls in between.
 */
export class Feed implements EventListener {
	readonly #events: EventStore;
	readonly #bells = new BellRegistry();

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

/** What is rung when there is something new: an `Alarm`, as a rule. */
export interface Bell {
	/** `since`: when that was known, by `performance.now()`. */
	ring(since: number): void;
}

/** How many are rung in one turn of the event loop: each of them has work to do. */
const maxPerTurn = 8;

/**
 * Bells by topic. A bell is rung once and then taken off, so that a ring costs the same however many bells wait, and
 * nothing to those of other topics.
 */
export class BellRegistry {
	readonly #ofTopic = new Map<string, Set<Bell>>();

	/** The result takes the bell off all of the topics, rung or not. */
	add(topics: readonly string[], bell: Bell): () => void {
		const places = topics.map(topic => this.#place(topic).add(bell));
		return () => {
			for (const [index, place] of places.entries()) {
				const topic = topics[index] ?? '';
				if (place.delete(bell) && place.size === 0 && this.#ofTopic.get(topic) === place) {
					this.#ofTopic.delete(topic);
				}
			}
		};
	}

	/** A few in each turn, so that the first need not wait for all. */
	ring(topic: string): void {
		const bells = this.#ofTopic.get(topic);
		if (bells) {
			this.#ofTopic.delete(topic);
			ringSome(bells, performance.now());
		}
	}

	count(topic: string): number {
		return this.#ofTopic.get(topic)?.size ?? 0;
	}

	/** Those for which bells wait by now. */
	get topics(): readonly string[] {
		return [...this.#ofTopic.keys()];
	}

	/** For how many topics bells wait. */
	get size(): number {
		return this.#ofTopic.size;
	}

	#place(topic: string): Set<Bell> {
		const place = this.#ofTopic.get(topic) ?? new Set();
		this.#ofTopic.set(topic, place);
		return place;
	}
}

function ringSome(bells: Set<Bell>, since: number): void {
	let rung = 0;
	for (const bell of bells) {
		if (rung++ === maxPerTurn) {
			setImmediate(ringSome, bells, since);
			return;
		}

		bells.delete(bell);
		bell.ring(since);
	}
}
