import {maxWait} from '../contract/messages.js';

/** How much later than asked for the end may be, so that 5 s minus a moment is one poll of 5 s. */
const slackMs = 50;

type Ask<T> = (waitSeconds: number, signal: AbortSignal | undefined) => Promise<T | undefined>;

/**
 * Asks until there is an answer or the time is over; undefined is no answer yet. Every poll first looks at what is
 * there, so nothing gets lost between two of them. Rejects when the signal aborts.
 */
export async function poll<T>(ask: Ask<T>, timeoutMs: number, signal?: AbortSignal): Promise<T | undefined> {
	const end = performance.now() + timeoutMs;
	for (;;) {
		const leftMs = end - performance.now();
		const seconds = Math.min(maxWait, Math.max(0, Math.floor((leftMs + slackMs) / 1000)));
		const found = seconds === 0 && leftMs > 0 ? await lastSecond(ask, leftMs, signal) : await ask(seconds, signal);
		if (found !== undefined || performance.now() >= end) {
			return found;
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
