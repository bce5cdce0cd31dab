import {maxWait} from '../contract/constants.js';
import {clock, sleep} from '../lib/time/sleep.js';
import {isUnavailable, UnreachableError, wasInterrupted} from './errors.js';

/** Rounding tolerance: 5 s minus a few milliseconds is one poll of 5 s. */
const slackMs = 50;

type Ask<T> = (waitSeconds: number, signal: AbortSignal | undefined) => Promise<T | undefined>;

/** Delays between retries while the daemon is unavailable. */
const pausesMs = [50, 100, 200, 400, 800] as const;

/**
 * Repeats a long poll until it returns a result or the timeout expires; undefined is no result yet. Every poll first checks the
 * current state, so nothing is missed between polls, even while a daemon that responded before restarts. Rejects with
 * `UnreachableError` if the daemon is unavailable when the timeout expires, and when the signal aborts.
 */
export async function poll<T>(ask: Ask<T>, timeoutMs: number, signal?: AbortSignal): Promise<T | undefined> {
	const end = clock.now() + timeoutMs;
	let isReached = false;
	let losses = 0;
	for (;;) {
		const leftMs = end - clock.now();
		const seconds = Math.min(maxWait, Math.max(0, Math.floor((leftMs + slackMs) / 1000)));
		try {
			const found = seconds === 0 && leftMs > 0 ? await lastSecond(ask, leftMs, signal) : await ask(seconds, signal);
			if (found !== undefined || clock.now() >= end) {
				return found;
			}

			isReached = true;
			losses = 0;
		} catch (error) {
			signal?.throwIfAborted();
			isReached ||= wasInterrupted(error);
			if (!isReached || !isUnavailable(error)) {
				throw error;
			}

			const pauseMs = pausesMs[Math.min(losses++, pausesMs.length - 1)] ?? 0;
			if (clock.now() + pauseMs >= end) {
				const who = error instanceof UnreachableError ? error.url : 'The daemon';
				throw new UnreachableError(who, 'became unavailable and did not come back before the timeout.', {cause: error});
			}

			await sleep(pauseMs, signal).catch(() => signal?.throwIfAborted());
		}
	}
}

/** Polls for less than a second. The API takes whole seconds, so the request is aborted after `leftMs`. */
async function lastSecond<T>(ask: Ask<T>, leftMs: number, signal?: AbortSignal): Promise<T | undefined> {
	const over = AbortSignal.timeout(Math.ceil(leftMs));
	try {
		return await ask(1, signal ? AbortSignal.any([signal, over]) : over);
	} catch (error) {
		signal?.throwIfAborted();
		if (over.aborted) {
			return undefined;
		}

		throw error;
	}
}
