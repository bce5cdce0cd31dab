import type {FileHandle} from 'node:fs/promises';
import {decodeLine} from './line.js';

const chunkBytes = 1024 * 1024;
const lineFeed = 10;
const recordHead = /\["[0-9a-f]{8}",/g;

export type Visitor = {
	/** An intact line: what it says, its first byte, and its bytes without the line feed. */
	record(items: readonly unknown[], offset: number, length: number): void;
	/** Bytes that are no intact line. */
	damage(bytes: Buffer, offset: number): void;
};

/** Reads a file line by line, from beginning to end, a chunk at a time. */
export async function scan(handle: FileHandle, visitor: Visitor): Promise<void> {
	let rest: Buffer = Buffer.alloc(0);
	let offset = 0;
	for (;;) {
		const chunk = Buffer.allocUnsafe(chunkBytes);
		const {bytesRead} = await handle.read(chunk, 0, chunkBytes, offset + rest.length);
		if (bytesRead === 0) {
			break;
		}

		const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
		const used = visitLines(bytes, offset, visitor);
		rest = bytes.subarray(used);
		offset += used;
	}

	if (rest.length > 0) {
		visitDamaged(rest, offset, visitor);
	}
}

/** Visits the lines that end within the bytes; how many bytes these are. */
function visitLines(bytes: Buffer, offset: number, visitor: Visitor): number {
	let start = 0;
	for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
		const line = bytes.subarray(start, end);
		const items = decodeLine(line);
		if (items) {
			visitor.record(items, offset + start, line.length);
		} else {
			visitDamaged(line, offset + start, visitor);
		}

		start = end + 1;
	}

	return start;
}

/**
 * Looks for intact records in a line that is not: where a line feed was damaged, two records stand in one line with one
 * stray byte between them.
 */
function visitDamaged(line: Buffer, offset: number, visitor: Visitor): void {
	const heads = [...line.toString('latin1').matchAll(recordHead)].map(match => match.index);
	const starts = heads[0] === 0 ? heads : [0, ...heads];
	for (const [index, start] of starts.entries()) {
		const piece = line.subarray(start, starts[index + 1]);
		const record = [piece, piece.subarray(0, -1)].find(bytes => decodeLine(bytes) !== undefined);
		const items = record && decodeLine(record);
		if (record && items) {
			visitor.record(items, offset + start, record.length);
		} else {
			visitor.damage(piece, offset + start);
		}
	}
}
