import type {FileHandle} from 'node:fs/promises';
import {crc32} from 'node:zlib';

const head = 12; // ["01234567",
const tail = 2; // ]\n

const chunkBytes = 128 * 1024;
const lineFeed = 10;
const recordHead = /\["[0-9a-f]{8}",/g;

/**
 * One line of a journal or a snapshot: a JSON array of a checksum (CRC-32, 8 hex digits) and the given JSON texts.
 * Each line is valid JSON, and what was damaged or written by half does not pass for one.
 */
export function encodeLine(...items: readonly string[]): Buffer {
	const payload = items.join(',');
	const line = Buffer.allocUnsafe(head + Buffer.byteLength(payload) + tail);
	const end = head + line.write(payload, head);
	line.write(`["${crc32(line.subarray(head, end)).toString(16).padStart(8, '0')}",`, 0, 'latin1');
	line.write(']\n', end, 'latin1');
	return line;
}

/**
 * What stands behind the checksum of a line (given without its line feed); undefined when checksum or items were
 * damaged. Damage to the brackets, quotes and comma around them costs nothing.
 */
export function decodeLine(line: Buffer): readonly unknown[] | undefined {
	if (
		line.length <= head ||
		crc32(line.subarray(head, -1)).toString(16).padStart(8, '0') !== line.toString('latin1', 2, head - 2)
	) {
		return undefined;
	}

	try {
		return JSON.parse(`[${line.toString('utf8', head, line.length - 1)}]`);
	} catch {
		return undefined;
	}
}

export type Line = {
	/** Without the line feed. */
	readonly bytes: Buffer;
	/** Of the first byte. */
	readonly offset: number;
	/** What it says; undefined when it is not intact. */
	readonly items: readonly unknown[] | undefined;
};

/**
 * Reads a file line by line from beginning to end, a chunk of lines at a time. The bytes of lines stay as they are only
 * until the next chunk.
 */
export async function* scan(handle: FileHandle): AsyncGenerator<readonly Line[]> {
	let buffer = Buffer.allocUnsafe(chunkBytes);
	let offset = 0;
	let used = 0;
	for (;;) {
		const {bytesRead} = await handle.read(buffer, used, buffer.length - used, offset + used);
		used += bytesRead;
		if (bytesRead === 0) {
			break;
		}

		const end = buffer.subarray(0, used).lastIndexOf(lineFeed) + 1;
		yield linesOf(buffer.subarray(0, end), offset);
		buffer.copyWithin(0, end, used);
		offset += end;
		used -= end;
		if (used === buffer.length) {
			buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
		}
	}

	if (used > 0) {
		yield salvage(buffer.subarray(0, used), offset);
	}
}

function linesOf(bytes: Buffer, offset: number): Line[] {
	const lines: Line[] = [];
	let start = 0;
	for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
		const line = bytes.subarray(start, end);
		const items = decodeLine(line);
		lines.push(...(items ? [{bytes: line, offset: offset + start, items}] : salvage(line, offset + start)));
		start = end + 1;
	}

	return lines;
}

/**
 * Looks for intact lines in one that is not: where a line feed was damaged, two stand in one with a stray byte between
 * them.
 */
function salvage(line: Buffer, offset: number): Line[] {
	const heads = [...line.toString('latin1').matchAll(recordHead)].map(match => match.index);
	const starts = heads[0] === 0 ? heads : [0, ...heads];
	return starts.map((start, index) => {
		const piece = line.subarray(start, starts[index + 1]);
		const bytes = decodeLine(piece) ? piece : piece.subarray(0, -1);
		const items = decodeLine(bytes);
		return {bytes: items ? bytes : piece, offset: offset + start, items};
	});
}
