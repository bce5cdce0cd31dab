import {maxWait} from '../contract/constants.js';
import {clock, sleep} from '../lib/time/sleep.js';
import {isAway, UnreachableError, wasReached} from './errors.js';

/** How much later than asked for the end may be, so that 5 s minus a moment is one poll of 5 s. */
const slackMs = 50;

type Ask<T> = (waitSeconds: number, signal: AbortSignal | undefined) => Promise<T | undefined>;

/** Pauses while the daemon is away. */
const pausesMs = [50, 100, 200, 400, 800] as const;

/**
 * Asks until there is an answer or the time is over; undefined is no answer yet. Every poll first looks at what is
 * there, so nothing gets lost between two of them: not even while a daemon that answered once is away and comes back. One
 * that is still away when the time is over is an `UnreachableError`. Rejects when the signal aborts.
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
			isReached ||= wasReached(error);
			if (!isReached || !isAway(error)) {
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

/** The daemon counts whole seconds: what is left of one is cut off here. */
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
