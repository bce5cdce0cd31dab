import pino, {type Logger} from 'pino';
import {safeJson, sanitizeLine} from '../lib/sanitize.js';

/**
 * The daemon's log: a JSON object a line, for people a readable line on a terminal. Fields may hold text from outside
 * (addresses, error details), so each line passes the sanitiser.
 */
export function createLog(stream: NodeJS.WriteStream): Logger {
	const write = stream.isTTY ? readable : jsonLine;
	return pino(
		{base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: {level: level => ({level})}},
		{write: line => stream.write(`${write(JSON.parse(line))}\n`)},
	);
}

type Line = {readonly time: string; readonly level: string; readonly msg: string} & Record<string, unknown>;

const jsonLine = (line: Line) => safeJson(line);

function readable({time, level, msg, ...fields}: Line): string {
	const details = Object.entries(fields).map(([name, value]) => `${name}=${text(value)}`);
	return sanitizeLine([time.slice(11, 19), level.padEnd(5), msg, ...details].join(' '));
}

function text(value: unknown): string {
	return typeof value === 'string' ? value : safeJson(value);
}
