import type {Log} from '../../lib/log.js';

/** How many lines of the log are told in so many milliseconds. */
const limit = {lines: 20, inMs: 10_000};

/** Tells a flood of events in part, so that the log keeps what else is in it. */
export class LineLimit {
	readonly #log: Log;
	#since = 0;
	#told = 0;
	#untold = 0;

	constructor(log: Log) {
		this.#log = log;
	}

	/** `now` is in milliseconds. */
	info(fields: Readonly<Record<string, unknown>>, message: string, now: number): void {
		// A clock can be set back.
		if (Math.abs(now - this.#since) >= limit.inMs) {
			this.#since = now;
			this.#told = 0;
		}

		if (this.#told === limit.lines) {
			this.#untold++;
			return;
		}

		const untold = this.#untold > 0 ? {untold: this.#untold} : {};
		this.#log.info({...fields, ...untold}, message);
		this.#told++;
		this.#untold = 0;
	}
}
