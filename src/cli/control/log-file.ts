import {closeSync, fstatSync, openSync, readSync, renameSync, statSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';

/** As much of the end of a log as is ever looked through. */
const longestTail = 1024 * 1024;

/** Bytes above which a new log is begun when a daemon starts. */
const longestLog = 5 * 1024 * 1024;

/** How many old logs are kept. */
const kept = 5;

const lookAgainMs = 100;

/** The last lines of a log; undefined when there is no log. */
export function lastLines(file: string, count: number): readonly string[] | undefined {
	return readLog(file, tail => {
		const {size} = fstatSync(tail);
		return read(tail, Math.max(0, size - longestTail), size)
			.replace(/\n$/, '')
			.split('\n')
			.slice(-count);
	});
}

/** Lines as they are written from now on, also to the log that a new daemon begins, until the signal aborts. */
export async function* followLog(file: string, signal: AbortSignal): AsyncGenerator<string> {
	let known = statOf(file);
	let rest = '';
	while (!signal.aborted) {
		const found = statOf(file);
		const from = found.ino === known.ino && found.size >= known.size ? known.size : 0;
		const lines = (rest + (readLog(file, log => read(log, from, found.size)) ?? '')).split('\n');
		rest = lines.pop() ?? '';
		known = found;
		yield* lines;
		await sleep(lookAgainMs, undefined, {signal}).catch(() => {});
	}
}

/** Opens the log for a daemon that starts; a long one becomes `.1`, that `.2`, and so on. */
export function openLog(file: string): number {
	if (statOf(file).size > longestLog) {
		for (let number = kept - 1; number > 0; number--) {
			rename(`${file}.${number}`, `${file}.${number + 1}`);
		}

		rename(file, `${file}.1`);
	}

	return openSync(file, 'a', 0o600);
}

function rename(from: string, to: string): void {
	if (statSync(from, {throwIfNoEntry: false})) {
		renameSync(from, to);
	}
}

function statOf(file: string): {readonly ino: number; readonly size: number} {
	return statSync(file, {throwIfNoEntry: false}) ?? {ino: 0, size: 0};
}

function readLog<T>(file: string, work: (log: number) => T): T | undefined {
	let log: number;
	try {
		log = openSync(file, 'r');
	} catch {
		return undefined;
	}

	try {
		return work(log);
	} finally {
		closeSync(log);
	}
}

function read(log: number, from: number, to: number): string {
	const bytes = Buffer.alloc(to - from);
	return bytes.toString('utf8', 0, readSync(log, bytes, 0, bytes.length, from));
}
