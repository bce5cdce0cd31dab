import {once} from 'node:events';

/** Each ends a program that does nothing about it. */
const endings: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs work that goes on until somebody ends it. The first signal aborts `ended` and, once the work has cleaned up, takes
 * its usual effect, so that a loop in the user's shell ends, too; a second one does at once. When whoever read stdout has
 * left, that also aborts `ended`.
 */
export async function untilSignal(work: (ended: AbortSignal) => Promise<void>): Promise<void> {
	const controller = new AbortController();
	const listening = new AbortController();
	const readerLeft = () => controller.abort();
	process.on('SIGPIPE', readerLeft);
	const caught = Promise.race(
		endings.map(async signal => {
			await once(process, signal, {signal: listening.signal});
			return signal;
		}),
	).then(
		signal => {
			listening.abort();
			controller.abort();
			return signal;
		},
		() => undefined,
	);
	try {
		await work(controller.signal);
	} finally {
		process.off('SIGPIPE', readerLeft);
		listening.abort();
	}

	const signal = await caught;
	if (signal) {
		process.kill(process.pid, signal);
	}
}
