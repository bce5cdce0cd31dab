import {afterAttempt} from '../domain/retry.js';
import type {Part} from '../lib/lifecycle.js';
import type {Log} from '../lib/log.js';
import type {Store} from '../store/store.js';

export type InterruptedTestsOptions = {readonly now: () => Date; readonly log: Log};

/**
 * At start, test deliveries that the end of the daemon interrupted become failed: nobody waits for them any more, and no
 * attempt would follow. To be started before new ones are made.
 */
export function interruptedTests(store: Pick<Store, 'deliveries'>, {now, log}: InterruptedTestsOptions): Part {
	const outcome = {ok: false, status: null, body: 'The daemon ended before the receiver had answered.'};
	return {
		name: 'interrupted webhook tests',
		async start() {
			const tests = await store.deliveries.interrupted();
			await store.deliveries
				.put(tests.map(delivery => afterAttempt(delivery, outcome, now(), 0)))
				.catch(error => log.warn({err: error}, 'interrupted webhook tests could not be marked as failed'));
		},
		async stop() {},
	};
}
