import type {Store} from '../store/store.js';

/** How long a use may stay in memory only. */
const flushAfterMs = 5000;

/**
 * Notes when API keys were last used, without making a request wait for the disk: the uses of some seconds are
 * written together. What cannot be written stays for the next time.
 */
export class KeyUses {
	readonly #store: Pick<Store, 'keys'>;
	#uses = new Map<string, string>();
	#timer: NodeJS.Timeout | undefined;

	constructor(store: Pick<Store, 'keys'>) {
		this.#store = store;
	}

	note(keyId: string, at: string): void {
		this.#uses.set(keyId, at);
		this.#timer ??= setTimeout(() => void this.flush(), flushAfterMs).unref();
	}

	/** Writes what was noted. Never rejects: losing a date is better than failing what the user asked for. */
	async flush(): Promise<void> {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		const uses = this.#uses;
		this.#uses = new Map();
		if (uses.size > 0) {
			await this.#store.keys.touch(uses).catch(() => {
				this.#uses = new Map([...uses, ...this.#uses]);
			});
		}
	}
}
