import {closeSync, fstatSync, openSync, readSync} from 'node:fs';
import {sanitizeText} from '../../lib/sanitize.js';

/** As much of the end of a log as is ever looked through. */
const longestTail = 1024 * 1024;

/** The last lines of a log, safe to print; undefined when there is no log. */
export function lastLines(file: string, count: number): string | undefined {
	const tail = readTail(file);
	const lines = tail?.replace(/\n$/, '').split('\n').slice(-count).join('\n');
	return lines === undefined ? undefined : sanitizeText(lines);
}

function readTail(file: string): string | undefined {
	let handle: number;
	try {
		handle = openSync(file, 'r');
	} catch {
		return undefined;
	}

	try {
		const {size} = fstatSync(handle);
		const tail = Buffer.alloc(Math.min(size, longestTail));
		readSync(handle, tail, 0, tail.length, size - tail.length);
		return tail.toString();
	} finally {
		closeSync(handle);
	}
}
