const node = globalThis.process;
const {performance} = node?.getBuiltinModule('node:perf_hooks') ?? globalThis;
const {setTimeout, clearTimeout} = node?.getBuiltinModule('node:timers') ?? globalThis;

/**
 * Clock and timers that a test framework with fake timers does not replace, so that a wait in these tests still ends. Works
 * in browsers.
 */
export const clock = {
	/** Milliseconds of a monotonic clock. */
	now: () => performance.now(),
	setTimeout: (work: () => void, ms: number) => setTimeout(work, ms),
	clearTimeout: (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer),
};

/** Resolves after `ms` milliseconds. Rejects with the reason of the signal when it aborts. Works in browsers. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
	signal?.throwIfAborted();
	await new Promise<void>((resolve, reject) => {
		const end = () => {
			clock.clearTimeout(timer);
			signal?.removeEventListener('abort', end);
			signal?.aborted ? reject(signal.reason) : resolve();
		};
		const timer = clock.setTimeout(end, ms);
		signal?.addEventListener('abort', end);
	});
}

type RetryOptions = {
	/** Delay before the first retry in milliseconds; doubled before each further one, up to `maxMs`. */
	readonly minMs: number;
	readonly maxMs: number;
	readonly maxTries?: number;
	/** Ends the current delay; the attempt after it is the last one. */
	readonly signal?: AbortSignal;
	/** Called for each failure that is retried. */
	readonly onFailure?: (error: unknown) => void;
};

/** Runs `work` until it succeeds, with exponential backoff. Rejects with the last error after `maxTries` or an abort. */
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
			await sleep(Math.min(minMs * 2 ** (tries - 1), maxMs), signal).catch(() => {});
		}
	}
}
