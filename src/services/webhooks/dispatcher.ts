import {setImmediate as turn} from 'node:timers/promises';
import {topics} from '../../domain/feed.js';
import {afterAttempt} from '../../domain/webhooks/delivery.js';
import type {Alarm} from '../../lib/alarm.js';
import type {Part} from '../../lib/lifecycle.js';
import type {Log} from '../../lib/log.js';
import type {Store} from '../../store/port.js';
import type {Feed} from '../live/feed.js';
import type {Attempts} from './attempts.js';

/** The longest sleep: other nodes bring what is due, or end and leave it behind. */
const maxSleepMs = 1000;

/** How often it is looked for tests that the end of a node interrupted. */
const interruptedEveryMs = 30_000;

const afterFailureMs = 1000;

/** Attempts that begin before others have a turn: one mail can be announced by a thousand. */
const maxPerTurn = 16;

/** Deliveries that are leased at once: each time can take a transaction. */
const maxPerLease = 64;

export type DispatcherOptions = {
	readonly attempts: Attempts;
	/** Tells of new deliveries. */
	readonly feed: Feed;
	/** Rings when there may be more to do for other reasons, as when an attempt is over. */
	readonly alarm: Alarm;
	readonly now: () => Date;
	readonly log: Log;
};

/**
 * Begins the attempts of all deliveries when they are due. It keeps no queue of its own: the store says what is due, also
 * after a restart.
 */
export class Dispatcher implements Part {
	readonly name = 'webhook dispatcher';
	readonly #store: Pick<Store, 'deliveries'>;
	readonly #options: DispatcherOptions;
	#isStopping = false;
	#lookedForInterruptedAt = 0;
	#running: Promise<void> | undefined;

	constructor(store: Pick<Store, 'deliveries'>, options: DispatcherOptions) {
		this.#store = store;
		this.#options = options;
	}

	async start(): Promise<void> {
		await this.#failInterruptedTests();
		this.#running = this.#run();
	}

	async stop(): Promise<void> {
		this.#isStopping = true;
		this.#options.alarm.ring();
		await this.#running;
		await this.#options.attempts.stop();
	}

	/** Nobody waits any more for test deliveries that the end of a node interrupted, and no attempt would follow. */
	async #failInterruptedTests(): Promise<void> {
		const {now, log} = this.#options;
		const {deliveries} = this.#store;
		this.#lookedForInterruptedAt = now().getTime();
		const outcome = {ok: false, status: null, body: 'The daemon stopped before the receiver responded.'};
		for (const delivery of await deliveries.leaseInterrupted()) {
			await deliveries.finish(afterAttempt(delivery, outcome, now(), 0)).catch(async error => {
				log.warn({delivery: delivery.id, err: error}, 'Could not mark an interrupted webhook test as failed');
				await deliveries.release(delivery.id);
			});
		}
	}

	async #run(): Promise<void> {
		const {feed, alarm, log} = this.#options;
		while (!this.#isStopping) {
			const stopListening = feed.listen([topics.deliveries], alarm);
			const sleepMs = await this.#round().catch(error => {
				log.error({err: error}, 'Reading due webhook deliveries failed; retrying');
				return afterFailureMs;
			});
			await alarm.sleep(sleepMs);
			stopListening();
		}
	}

	/** Begins all that can begin now, and resolves to the milliseconds until more becomes due. */
	async #round(): Promise<number> {
		const {attempts} = this.#options;
		const {deliveries} = this.#store;
		const now = this.#options.now();
		const at = now.toISOString();
		if (now.getTime() - this.#lookedForInterruptedAt >= interruptedEveryMs) {
			await this.#failInterruptedTests();
		}

		while (!this.#isStopping) {
			const {room} = attempts;
			const all = Math.min(room.all, maxPerLease);
			const due = all > 0 ? await deliveries.lease(at, {...room, all}) : [];
			for (let first = 0; first < due.length; first += maxPerTurn) {
				for (const each of due.slice(first, first + maxPerTurn)) {
					attempts.begin(each);
				}

				await turn();
			}

			if (due.length === 0 || due.length < all) {
				break;
			}
		}

		const next = await deliveries.nextDue(at);
		return next === undefined ? maxSleepMs : Math.min(Date.parse(next) - now.getTime(), maxSleepMs);
	}
}
