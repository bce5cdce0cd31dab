import {safeJson, sanitizeLine} from './text/sanitize.js';

type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** A logger as the parts of the daemon use it; pino's satisfies it. */
export type Log = {readonly info: Write; readonly warn: Write; readonly error: Write};

/** What lines about one SMTP session, or about one HTTP request of a trace, have in common. */
export type LogIds = {readonly session?: string; readonly request?: string};

/** A line of the daemon's log file. */
type LogLine = {readonly time: string; readonly level: string; readonly msg: string} & Record<string, unknown>;

/** A line of the log for people, safe to print. */
export function readableLogLine({time, level, msg, ...fields}: LogLine): string {
	const details = Object.entries(fields).map(
		([name, value]) => `${name}=${typeof value === 'string' ? value : safeJson(value)}`,
	);
	return sanitizeLine([time.slice(11, 19), level.padEnd(5), msg, ...details].join(' '));
}

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
