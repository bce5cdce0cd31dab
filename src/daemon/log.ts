import {appendFileSync, constants, copyFileSync, existsSync, renameSync, rmSync, statSync, truncateSync} from 'node:fs';
import pino, {type Logger} from 'pino';
import {isUnavailable} from '../domain/errors.js';
import {type Log, readableLogLine} from '../lib/log.js';
import {escapeJson} from '../lib/text/sanitize.js';

/** Bytes at which a new log is begun. */
const maxLogBytes = 5 * 1024 * 1024;

/** How many old logs are kept. */
const keptLogs = 5;

/**
 * The daemon's log: a JSON object a line, for people a readable line on a terminal. Fields may hold text from outside
 * (addresses, error details), so each line passes the sanitiser.
 */
export function createLog(stream: {write(text: string): unknown; readonly isTTY?: boolean}): Logger {
	const format = stream.isTTY ? (line: string) => `${readableLogLine(JSON.parse(line))}\n` : escapeJson;
	return pino(
		{base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: {level: level => ({level})}},
		{write: line => stream.write(format(line))},
	);
}

/** Passes over what fails because the store is away: the store tells of that itself, once. */
export function withoutOutages(log: Log): Log {
	const pass =
		(level: keyof Log): Log[keyof Log] =>
		(fields, message) => {
			if (!isUnavailable(fields['err'])) {
				log[level](fields, message);
			}
		};
	return {info: pass('info'), warn: pass('warn'), error: pass('error')};
}

/**
 * The log of a daemon in the background. At 5 MiB it becomes `.1`, that `.2`, and so on up to `.5`. Never throws: a log on
 * a full disk keeps nobody from working.
 */
export function createLogFile(file: string): {write(text: string): void} {
	return {
		write(text) {
			try {
				beginAnewWhenLong(file);
			} catch {
				// Then the log goes on growing.
			}

			try {
				appendFileSync(file, text, {mode: 0o600});
			} catch {
				// There is no other place to say so.
			}
		},
	};
}

/** Copies and empties the log rather than renaming it: the process's stderr is the same file, and is to stay in the log. */
function beginAnewWhenLong(file: string): void {
	if ((statSync(file, {throwIfNoEntry: false})?.size ?? 0) < maxLogBytes) {
		return;
	}

	const copy = `${file}.new`;
	rmSync(copy, {force: true});
	try {
		copyFileSync(file, copy, constants.COPYFILE_EXCL);
	} catch (error) {
		rmSync(copy, {force: true});
		throw error;
	}

	for (let number = keptLogs - 1; number > 0; number--) {
		if (existsSync(`${file}.${number}`)) {
			renameSync(`${file}.${number}`, `${file}.${number + 1}`);
		}
	}

	renameSync(copy, `${file}.1`);
	truncateSync(file);
}
