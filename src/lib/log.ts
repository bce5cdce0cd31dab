import {safeJson, sanitizeLine} from './sanitize.js';

type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** A logger as the parts of the daemon use it; pino's satisfies it. */
export type Log = {readonly info: Write; readonly warn: Write; readonly error: Write};

/** What lines about one SMTP session, or about one HTTP request of a trace, have in common. */
export type LogIds = {readonly session?: string; readonly request?: string};

/** A line of the daemon's log file. */
export type LogLine = {readonly time: string; readonly level: string; readonly msg: string} & Record<string, unknown>;

/** A line of the log for people, safe to print. */
export function readableLogLine({time, level, msg, ...fields}: LogLine): string {
	const details = Object.entries(fields).map(
		([name, value]) => `${name}=${typeof value === 'string' ? value : safeJson(value)}`,
	);
	return sanitizeLine([time.slice(11, 19), level.padEnd(5), msg, ...details].join(' '));
}
