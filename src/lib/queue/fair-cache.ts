/** What one owner keeps: the longest unused first. */
type Share<Value> = {
	readonly owner: string;
	readonly kept: Map<string, {readonly value: Value; readonly bytes: number}>;
	bytes: number;
};

/**
 * Keeps values up to so many bytes in all. When there are more, the owner who keeps most loses what was not used for
 * longest: who keeps much never costs those their values who keep little.
 */
export class FairCache<Value> {
	readonly #maxBytes: number;
	readonly #shares = new Map<string, Share<Value>>();
	/** In whose share each key is. */
	readonly #shareOf = new Map<string, Share<Value>>();
	#bytes = 0;

	constructor(maxBytes: number) {
		this.#maxBytes = maxBytes;
	}

	/** Whoever keeps it. */
	get(key: string): Value | undefined {
		const kept = this.#shareOf.get(key)?.kept;
		const entry = kept?.get(key);
		if (kept && entry) {
			kept.delete(key);
			kept.set(key, entry);
		}

		return entry?.value;
	}

	/** Takes the place of what had the key before, whoever kept it. What is larger than all that may be kept is not. */
	set(owner: string, key: string, value: Value, bytes: number): void {
		this.#drop(key);
		if (bytes > this.#maxBytes) {
			return;
		}

		const share = this.#shares.get(owner) ?? {owner, kept: new Map(), bytes: 0};
		this.#shares.set(owner, share);
		share.kept.set(key, {value, bytes});
		this.#shareOf.set(key, share);
		this.#count(share, bytes);
		while (this.#bytes > this.#maxBytes) {
			this.#drop(this.#leastUsed());
		}
	}

	#drop(key: string): void {
		const share = this.#shareOf.get(key);
		if (share) {
			this.#count(share, -(share.kept.get(key)?.bytes ?? 0));
			this.#shareOf.delete(key);
			share.kept.delete(key);
			if (share.kept.size === 0) {
				this.#shares.delete(share.owner);
			}
		}
	}

	/** Of the one who keeps most. */
	#leastUsed(): string {
		const largest = [...this.#shares.values()].reduce((most, share) => (share.bytes > most.bytes ? share : most));
		const [key = ''] = largest.kept.keys();
		return key;
	}

	#count(share: Share<Value>, bytes: number): void {
		share.bytes += bytes;
		this.#bytes += bytes;
	}
}
