/** Receives a wake-up; a `Timer` is one. */
export interface Waiter {
	/** `since`: time of the notification, by `performance.now()`. */
	wake(since: number): void;
}

/** Waiters that are woken in one turn of the event loop, as each of them has work to do. */
const maxPerTurn = 8;

/**
 * Wakes waiters by topic. A waiter is woken once and then removed: a notification costs the same however many waiters there
 * are, and nothing for other topics.
 */
export class Notifier {
	readonly #byTopic = new Map<string, Set<Waiter>>();

	/** Adds a waiter to the topics. Returns the function that removes it, whether it was woken or not. */
	add(topics: readonly string[], waiter: Waiter): () => void {
		const sets = topics.map(topic => this.#waitersOf(topic).add(waiter));
		return () => {
			for (const [index, set] of sets.entries()) {
				const topic = topics[index] ?? '';
				if (set.delete(waiter) && set.size === 0 && this.#byTopic.get(topic) === set) {
					this.#byTopic.delete(topic);
				}
			}
		};
	}

	/** Wakes the waiters of a topic, a few in each turn of the event loop, so that the first one does not wait for all. */
	notify(topic: string): void {
		const waiters = this.#byTopic.get(topic);
		if (waiters) {
			this.#byTopic.delete(topic);
			wakeSome(waiters, performance.now());
		}
	}

	/** Number of waiters of a topic. */
	count(topic: string): number {
		return this.#byTopic.get(topic)?.size ?? 0;
	}

	/** Topics that have waiters. */
	get topics(): readonly string[] {
		return [...this.#byTopic.keys()];
	}

	/** Number of topics that have waiters. */
	get size(): number {
		return this.#byTopic.size;
	}

	#waitersOf(topic: string): Set<Waiter> {
		const waiters = this.#byTopic.get(topic) ?? new Set();
		this.#byTopic.set(topic, waiters);
		return waiters;
	}
}

function wakeSome(waiters: Set<Waiter>, since: number): void {
	let woken = 0;
	for (const waiter of waiters) {
		if (woken++ === maxPerTurn) {
			setImmediate(wakeSome, waiters, since);
			return;
		}

		waiters.delete(waiter);
		waiter.wake(since);
	}
}
