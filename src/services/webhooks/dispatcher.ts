import {setImmediate as turn} from 'node:timers/promises';
import {afterAttempt} from '../../domain/webhook.js';
import type {Alarm} from '../../lib/alarm.js';
import type {Part} from '../../lib/lifecycle.js';
import type {Log} from '../../lib/log.js';
import type {Store} from '../../store/store.js';
import {type Feed, topics} from '../live/feed.js';
import type {Attempts} from './attempts.js';

/** The longest sleep, so that a clock that was set or a machine that was suspended delays nothing for long. */
const maxSleepMs = 60_000;

const afterFailureMs = 1000;

/** Attempts that begin before others have a turn: one mail can be announced by a thousand. */
const maxPerTurn = 16;

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

	/** Nobody waits any more for test deliveries that the end of the daemon interrupted, and no attempt would follow. */
	async #failInterruptedTests(): Promise<void> {
		const {now, log} = this.#options;
		const outcome = {ok: false, status: null, body: 'The daemon ended before the receiver had answered.'};
		const tests = await this.#store.deliveries.interrupted();
		await this.#store.deliveries
			.put(tests.map(delivery => afterAttempt(delivery, outcome, now(), 0)))
			.catch(error => log.warn({err: error}, 'interrupted webhook tests could not be marked as failed'));
	}

	async #run(): Promise<void> {
		const {feed, alarm, log} = this.#options;
		while (!this.#isStopping) {
			const stopListening = feed.listen([topics.deliveries], alarm);
			const sleepMs = await this.#round().catch(error => {
				log.error({err: error}, 'due webhook deliveries could not be read');
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
		let begun = 0;
		// The store names one delivery of each user at a time, so that users take turns.
		while (!this.#isStopping && attempts.free > 0) {
			const due = await deliveries.due(at, Math.min(attempts.free, maxPerTurn), attempts.busy);
			if (due.length === 0) {
				break;
			}

			for (const each of due) {
				attempts.begin(each, at);
			}

			begun += due.length;
			if (begun >= maxPerTurn) {
				begun = 0;
				await turn();
			}
		}

		const next = await deliveries.nextDue(at);
		return next === undefined ? maxSleepMs : Math.min(Date.parse(next) - now.getTime(), maxSleepMs);
	}
}
