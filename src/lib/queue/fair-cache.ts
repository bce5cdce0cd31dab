/** Cached values of one holder, least recently used first. */
type Share<Value> = {
	readonly holder: string;
	readonly entries: Map<string, {readonly value: Value; readonly bytes: number}>;
	bytes: number;
};

/**
 * Cache with a budget in bytes that holders share. When it is full, the holder with the largest share loses its least recently
 * used value, so that a holder with much data never evicts the values of others.
 */
export class FairCache<Value> {
	readonly #maxBytes: number;
	readonly #shares = new Map<string, Share<Value>>();
	readonly #shareByKey = new Map<string, Share<Value>>();
	#bytes = 0;

	constructor(maxBytes: number) {
		this.#maxBytes = maxBytes;
	}

	/** Value of the key, of any holder. It becomes the most recently used one. */
	get(key: string): Value | undefined {
		const entries = this.#shareByKey.get(key)?.entries;
		const entry = entries?.get(key);
		if (entries && entry) {
			entries.delete(key);
			entries.set(key, entry);
		}

		return entry?.value;
	}

	/** Stores a value in the holder's share and replaces the key's value of any holder. A value above the budget is not stored. */
	set(holder: string, key: string, value: Value, bytes: number): void {
		this.#delete(key);
		if (bytes > this.#maxBytes) {
			return;
		}

		const share = this.#shares.get(holder) ?? {holder, entries: new Map(), bytes: 0};
		this.#shares.set(holder, share);
		share.entries.set(key, {value, bytes});
		this.#shareByKey.set(key, share);
		this.#count(share, bytes);
		while (this.#bytes > this.#maxBytes) {
			this.#delete(this.#nextEvicted());
		}
	}

	#delete(key: string): void {
		const share = this.#shareByKey.get(key);
		if (share) {
			this.#count(share, -(share.entries.get(key)?.bytes ?? 0));
			this.#shareByKey.delete(key);
			share.entries.delete(key);
			if (share.entries.size === 0) {
				this.#shares.delete(share.holder);
			}
		}
	}

	/** Key of the least recently used value in the largest share. */
	#nextEvicted(): string {
		const largest = [...this.#shares.values()].reduce((most, share) => (share.bytes > most.bytes ? share : most));
		const [key = ''] = largest.entries.keys();
		return key;
	}

	#count(share: Share<Value>, bytes: number): void {
		share.bytes += bytes;
		this.#bytes += bytes;
	}
}
