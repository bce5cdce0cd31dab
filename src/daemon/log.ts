import pino, {type Logger} from 'pino';
import {readableLogLine} from '../lib/log-line.js';
import {safeJson} from '../lib/sanitize.js';

/**
 * The daemon's log: a JSON object a line, for people a readable line on a terminal. Fields may hold text from outside
 * (addresses, error details), so each line passes the sanitiser.
 */
export function createLog(stream: {write(text: string): unknown; readonly isTTY?: boolean}): Logger {
	const format = stream.isTTY ? readableLogLine : safeJson;
	return pino(
		{base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: {level: level => ({level})}},
		{write: line => stream.write(`${format(JSON.parse(line))}\n`)},
	);
}
