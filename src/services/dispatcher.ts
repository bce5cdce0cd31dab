import type {Alarm} from '../lib/alarm.js';
import type {Part} from '../lib/lifecycle.js';
import type {Log} from '../lib/log.js';
import type {Store} from '../store/store.js';
import type {Attempts} from './attempts.js';

/** The longest sleep, so that a clock that was set or a machine that was suspended delays nothing for long. */
const longestSleepMs = 60_000;

const afterFailureMs = 1000;

export type DispatcherOptions = {
	readonly attempts: Attempts;
	/** Rings when there may be more to do than before. */
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
		this.#running = this.#run();
	}

	async stop(): Promise<void> {
		this.#isStopping = true;
		this.#options.alarm.ring();
		await this.#running;
		await this.#options.attempts.stop();
	}

	async #run(): Promise<void> {
		const {alarm, log} = this.#options;
		while (!this.#isStopping) {
			const sleepMs = await this.#round().catch(error => {
				log.error({err: error}, 'due webhook deliveries could not be read');
				return afterFailureMs;
			});
			await alarm.sleep(sleepMs);
		}
	}

	/** Begins all that can begin now, and resolves to the milliseconds until more becomes due. */
	async #round(): Promise<number> {
		const now = this.#options.now();
		const at = now.toISOString();
		while (!this.#isStopping && (await this.#beginDue(at))) {
			// The store names one delivery of each endpoint at a time, and an endpoint may have several attempts.
		}

		const next = await this.#store.deliveries.nextDue(at);
		return next === undefined ? longestSleepMs : Math.min(Date.parse(next) - now.getTime(), longestSleepMs);
	}

	async #beginDue(at: string): Promise<boolean> {
		const {attempts} = this.#options;
		const due = attempts.free > 0 ? await this.#store.deliveries.due(at, attempts.free, attempts.busy) : [];
		for (const delivery of due) {
			attempts.begin(delivery, at);
		}

		return due.length > 0;
	}
}
