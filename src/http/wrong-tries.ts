import {AppError} from '../domain/errors.js';

/** Wrong tries that one address may have in so many milliseconds. */
const most = {tries: 60, inMs: 60_000};

/** Addresses that are remembered, those that tried last. */
const maxAddresses = 10_000;

/** Counts, by address, who tried to log in and was wrong. Whoever is right is let in: all users of a machine have one address. */
export class WrongTries {
	readonly #byAddress = new Map<string, readonly number[]>();

	/** Resolves and rejects as the try does, but with `rate_limited` once there were too many `unauthorized`. */
	async count<T>(address: string, attempt: () => Promise<T>): Promise<T> {
		try {
			return await attempt();
		} catch (error) {
			if (error instanceof AppError && error.code === 'unauthorized') {
				this.#add(address);
			}

			throw error;
		}
	}

	#add(address: string): void {
		const now = performance.now();
		const recent = (this.#byAddress.get(address) ?? []).filter(at => at > now - most.inMs);
		const [oldest = now] = recent;
		this.#byAddress.delete(address);
		this.#byAddress.set(address, [...recent, now].slice(-most.tries));
		for (const first of this.#byAddress.keys()) {
			if (this.#byAddress.size > maxAddresses) {
				this.#byAddress.delete(first);
			}
		}

		if (recent.length >= most.tries) {
			const retryAfter = Math.ceil((oldest + most.inMs - now) / 1000);
			throw new AppError('rate_limited', `Too many failed logins. Try again in ${retryAfter} s.`, {retryAfter});
		}
	}
}
