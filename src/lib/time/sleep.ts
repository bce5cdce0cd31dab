const node = globalThis.process;
const {performance} = node?.getBuiltinModule('node:perf_hooks') ?? globalThis;
const {setTimeout, clearTimeout} = node?.getBuiltinModule('node:timers') ?? globalThis;

/**
 * Time as it passes, also where a test framework has stopped it (fake timers): a wait in such a test still ends. Not the global
 * functions, which it replaces, maybe before anything is imported. Runs in browsers, too.
 */
export const clock = {
	/** Milliseconds since some moment. */
	now: () => performance.now(),
	setTimeout: (work: () => void, ms: number) => setTimeout(work, ms),
	clearTimeout: (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer),
};

/** Resolves after so many milliseconds; rejects with the reason of the signal as soon as that aborts. Runs in browsers, too. */
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
			await sleep(Math.min(minMs * 2 ** (tries - 1), maxMs), signal).catch(() => {});
		}
	}
}
