import {setTimeout as sleep} from 'node:timers/promises';

export type RetryOptions = {
	/** Milliseconds before the second try; doubled before each further one, up to `maxMs`. */
	readonly minMs: number;
	readonly maxMs: number;
	readonly maxTries?: number;
	/** Ends the waiting: the try after it is the last one. */
	readonly signal?: AbortSignal;
	/** Told of each failure after which it is tried again. */
	readonly onFailure?: (error: unknown) => void;
};

/** Tries until the work succeeds. Rejects with the last error once the tries are used up, or the signal aborts. */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
	const {minMs, maxMs, maxTries = Number.POSITIVE_INFINITY, signal, onFailure} = options;
	for (let tries = 1; ; tries++) {
		try {
			return await work();
		} catch (error) {
			if (tries >= maxTries || signal?.aborted) {
				throw error;
			}

			onFailure?.(error);
			await sleep(Math.min(minMs * 2 ** (tries - 1), maxMs), undefined, {signal}).catch(() => {});
		}
	}
}
