import {closeSync, openSync, readSync, statSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';

/** How many bytes at the end of a log are searched for lines. */
const maxTailBytes = 1024 * 1024;

const pollMs = 100;

/** The last lines of a log; undefined when there is no log. */
export function lastLines(file: string, count: number): readonly string[] | undefined {
	const {size} = statOf(file);
	return readBetween(file, Math.max(0, size - maxTailBytes), size)
		?.replace(/\n$/, '')
		.split('\n')
		.slice(-count);
}

/** Lines that are written from now on, across rotations of the log, until the signal aborts. */
export async function* followLog(file: string, signal: AbortSignal): AsyncGenerator<string> {
	const previous = `${file}.1`;
	let known = {log: statOf(file), previous: statOf(previous)};
	let rest = '';
	while (!signal.aborted) {
		const found = {log: statOf(file), previous: statOf(previous)};
		const isNewFile = found.log.ino !== known.log.ino || found.log.size < known.log.size;
		const isMoved = isNewFile && found.previous.ino !== known.previous.ino;
		const missed = isMoved ? readBetween(previous, known.log.size, found.previous.size) : undefined;
		const added = readBetween(file, isNewFile ? 0 : known.log.size, found.log.size);
		const lines = [rest, missed, added].join('').split('\n');
		rest = lines.pop() ?? '';
		known = found;
		yield* lines;
		await sleep(pollMs, undefined, {signal}).catch(() => {});
	}
}

function statOf(file: string): {readonly ino: number; readonly size: number} {
	return statSync(file, {throwIfNoEntry: false}) ?? {ino: 0, size: 0};
}

/** What a log holds between two bytes; undefined when there is no log. */
function readBetween(file: string, from: number, to: number): string | undefined {
	let log: number;
	try {
		log = openSync(file, 'r');
	} catch {
		return undefined;
	}

	try {
		const bytes = Buffer.alloc(Math.max(0, to - from));
		return bytes.toString('utf8', 0, readSync(log, bytes, 0, bytes.length, from));
	} finally {
		closeSync(log);
	}
}
