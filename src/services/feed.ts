/** Somebody who waits for something new in an inbox. */
export interface Waiter {
	/** Something may have changed: look again. */
	wake(): void;
}

/** Enough to keep the cost of a turn of the event loop small. */
const wokenTogether = 8;

/**
 * Wakes whoever waits for something new in an inbox. It carries no messages on purpose: the store is the truth, and a
 * waiter that wakes up reads it again. A waiter is added before it looks, so that nothing falls in between.
 *
 * Waiters are objects and not promises with signals, since there can be tens of thousands of them.
 */
export class Feed {
	readonly #waiters = new Map<string, Set<Waiter>>();

	add(inboxId: string, waiter: Waiter): void {
		const waiters = this.#waiters.get(inboxId);
		if (waiters) {
			waiters.add(waiter);
		} else {
			this.#waiters.set(inboxId, new Set([waiter]));
		}
	}

	remove(inboxId: string, waiter: Waiter): void {
		const waiters = this.#waiters.get(inboxId);
		if (waiters?.delete(waiter) && waiters.size === 0) {
			this.#waiters.delete(inboxId);
		}
	}

	/** Wakes all who wait for one of the inboxes, and nobody else: a few at a time, so that the first need not wait for all. */
	notify(inboxIds: Iterable<string>): void {
		for (const inboxId of inboxIds) {
			this.#wake(inboxId, [...(this.#waiters.get(inboxId) ?? [])]);
		}
	}

	/** How many wait for the inbox. */
	waiting(inboxId: string): number {
		return this.#waiters.get(inboxId)?.size ?? 0;
	}

	#wake(inboxId: string, waiters: Waiter[]): void {
		for (const waiter of waiters.splice(0, wokenTogether)) {
			if (this.#waiters.get(inboxId)?.has(waiter)) {
				waiter.wake();
			}
		}

		if (waiters.length > 0) {
			setImmediate(() => this.#wake(inboxId, waiters));
		}
	}
}
