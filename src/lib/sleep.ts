import {clock} from './clock.js';

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
