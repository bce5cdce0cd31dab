import {closeSync, fstatSync, openSync, readSync, statSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';

/** As much of the end of a log as is ever looked through. */
const longestTail = 1024 * 1024;

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

/** Lines as they are written from now on, also to the logs that are begun meanwhile, until the signal aborts. */
export async function* followLog(file: string, signal: AbortSignal): AsyncGenerator<string> {
	const previous = `${file}.1`;
	let known = {log: statOf(file), previous: statOf(previous)};
	let rest = '';
	while (!signal.aborted) {
		const found = {log: statOf(file), previous: statOf(previous)};
		const isBegunAnew = found.log.ino !== known.log.ino || found.log.size < known.log.size;
		const isMoved = isBegunAnew && found.previous.ino !== known.previous.ino;
		const missed = isMoved ? readBetween(previous, known.log.size, found.previous.size) : '';
		const lines = (rest + missed + readBetween(file, isBegunAnew ? 0 : known.log.size, found.log.size)).split('\n');
		rest = lines.pop() ?? '';
		known = found;
		yield* lines;
		await sleep(lookAgainMs, undefined, {signal}).catch(() => {});
	}
}

/** What a log holds between two bytes; nothing when there is no log. */
function readBetween(file: string, from: number, to: number): string {
	return readLog(file, log => read(log, from, Math.max(from, to))) ?? '';
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
