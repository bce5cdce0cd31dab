import {RateWindow} from './queue/rate-window.js';
import {safeJson, sanitizeLine} from './text/sanitize.js';

type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** Logger of the daemon; pino implements it. */
export type Log = {readonly info: Write; readonly warn: Write; readonly error: Write};

/** Fields shared by all lines of an SMTP session or HTTP request. */
export type LogIds = {readonly session?: string; readonly request?: string};

/** Line of the daemon's log file. */
type LogLine = {readonly time: string; readonly level: string; readonly msg: string} & Record<string, unknown>;

/** Formats a log line for people, safe to print. */
export function readableLogLine({time, level, msg, ...fields}: LogLine): string {
	const details = Object.entries(fields).map(
		([name, value]) => `${name}=${typeof value === 'string' ? value : safeJson(value)}`,
	);
	return sanitizeLine([time.slice(11, 19), level.padEnd(5), msg, ...details].join(' '));
}

/** Lines per window. */
const throttle = {limit: 20, windowMs: 10_000, maxKeys: 1};

/** Log that writes a limited number of lines per time, so that a flood of events does not displace other lines. */
export class ThrottledLog {
	readonly #log: Log;
	readonly #lines = new RateWindow(throttle);
	#dropped = 0;

	constructor(log: Log) {
		this.#log = log;
	}

	/** Writes or drops a line. The next written line has the number of dropped ones. `now` is in milliseconds. */
	info(fields: Readonly<Record<string, unknown>>, message: string, now: number): void {
		if (this.#lines.isFull('', now)) {
			this.#dropped++;
			return;
		}

		this.#lines.add('', undefined, now);
		this.#log.info({...fields, ...(this.#dropped > 0 && {untold: this.#dropped})}, message);
		this.#dropped = 0;
	}
}
