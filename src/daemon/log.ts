import {appendFileSync, constants, copyFileSync, existsSync, renameSync, rmSync, statSync, truncateSync} from 'node:fs';
import pino, {type Logger} from 'pino';
import {isUnavailable} from '../domain/errors.js';
import {type Log, readableLogLine} from '../lib/log.js';
import {escapeJson} from '../lib/text/sanitize.js';

/** Size at which the log is rotated. */
const maxLogBytes = 5 * 1024 * 1024;

/** Number of old logs. */
const keptLogs = 5;

/**
 * Creates the daemon's log: one JSON object per line, or readable lines on a terminal. Fields may contain untrusted text, so
 * each line is sanitized.
 */
export function createLog(stream: {write(text: string): unknown; readonly isTTY?: boolean}): Logger {
	const format = stream.isTTY ? (line: string) => `${readableLogLine(JSON.parse(line))}\n` : escapeJson;
	return pino(
		{base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: {level: level => ({level})}},
		{write: line => stream.write(format(line))},
	);
}

/** Skips errors caused by an unavailable store, which the store logs once itself. */
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
 * Log file of a background daemon. At 5 MiB it is renamed to `.1`, and older ones up to `.5`. Never throws, because a full
 * disk must not stop the daemon.
 */
export function createLogFile(file: string): {write(text: string): void} {
	return {
		write(text) {
			try {
				beginAnewWhenLong(file);
			} catch {
				// The log continues to grow.
			}

			try {
				appendFileSync(file, text, {mode: 0o600});
			} catch {
				// There is no other place to report it.
			}
		},
	};
}

/** Copies and truncates the log instead of renaming it, because stderr of the process is the same file. */
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
