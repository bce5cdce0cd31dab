import {safeJson, sanitizeLine} from './sanitize.js';

/** A line of the daemon's log as the file has it. */
export type LogLine = {readonly time: string; readonly level: string; readonly msg: string} & Record<string, unknown>;

/** The same for people, safe to print. */
export function readableLogLine({time, level, msg, ...fields}: LogLine): string {
	const details = Object.entries(fields).map(([name, value]) => `${name}=${text(value)}`);
	return sanitizeLine([time.slice(11, 19), level.padEnd(5), msg, ...details].join(' '));
}

function text(value: unknown): string {
	return typeof value === 'string' ? value : safeJson(value);
}
