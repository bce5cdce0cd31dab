import type {FileHandle} from 'node:fs/promises';
import {crc32} from 'node:zlib';

/** Length of `["01234567",`. */
const headLength = 12;
/** Length of `]` and the line feed. */
const tailLength = 2;

const chunkBytes = 128 * 1024;
const lineFeed = 10;
const recordHead = /\["[0-9a-f]{8}",/g;

/**
 * Encodes a line of a journal or a snapshot: a JSON array of a checksum (CRC-32, 8 hex digits) and the given JSON texts. Each
 * line is valid JSON, and a damaged or partial line is detected.
 */
export function encodeLine(...items: readonly string[]): Buffer {
	const payload = items.join(',');
	const line = Buffer.allocUnsafe(headLength + Buffer.byteLength(payload) + tailLength);
	const end = headLength + line.write(payload, headLength);
	line.write(`["${crc32(line.subarray(headLength, end)).toString(16).padStart(8, '0')}",`, 0, 'latin1');
	line.write(']\n', end, 'latin1');
	return line;
}

/**
 * Decodes the items after the checksum of a line without its line feed; undefined if the checksum or the items are damaged.
 * Damage to the brackets, quotes and comma around them is ignored.
 */
export function decodeLine(line: Buffer): readonly unknown[] | undefined {
	if (
		line.length <= headLength ||
		crc32(line.subarray(headLength, -1)).toString(16).padStart(8, '0') !== line.toString('latin1', 2, headLength - 2)
	) {
		return undefined;
	}

	try {
		return JSON.parse(`[${line.toString('utf8', headLength, line.length - 1)}]`);
	} catch {
		return undefined;
	}
}

/** A line of a file. */
export type Line = {
	/** Content without the line feed. */
	readonly bytes: Buffer;
	/** Position of the first byte in the file. */
	readonly offset: number;
	/** Decoded items; undefined if the line is damaged. */
	readonly items: readonly unknown[] | undefined;
};

/** Reads the lines of a file in chunks. The bytes of lines are valid only until the next chunk. */
export async function* readLines(handle: FileHandle): AsyncGenerator<readonly Line[]> {
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
		yield recoverLines(buffer.subarray(0, used), offset);
	}
}

function linesOf(bytes: Buffer, offset: number): Line[] {
	const lines: Line[] = [];
	let start = 0;
	for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
		const line = bytes.subarray(start, end);
		const items = decodeLine(line);
		lines.push(...(items ? [{bytes: line, offset: offset + start, items}] : recoverLines(line, offset + start)));
		start = end + 1;
	}

	return lines;
}

/** Finds intact lines within a damaged one: if a line feed is damaged, two lines look like one. */
function recoverLines(line: Buffer, offset: number): Line[] {
	const heads = [...line.toString('latin1').matchAll(recordHead)].map(match => match.index);
	const starts = heads[0] === 0 ? heads : [0, ...heads];
	return starts.map((start, index) => {
		const piece = line.subarray(start, starts[index + 1]);
		const bytes = decodeLine(piece) ? piece : piece.subarray(0, -1);
		const items = decodeLine(bytes);
		return {bytes: items ? bytes : piece, offset: offset + start, items};
	});
}
