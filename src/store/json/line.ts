import {crc32} from 'node:zlib';

const head = 12; // ["01234567",
const tail = 2; // ]\n

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

/** What stands behind the checksum of a line (given without its line feed); undefined when the line is not intact. */
export function decodeLine(line: Buffer): readonly unknown[] | undefined {
	if (line.length <= head || line.toString('latin1', 0, 2) !== '["') {
		return undefined;
	}

	if (crc32(line.subarray(head, -1)).toString(16).padStart(8, '0') !== line.toString('latin1', 2, head - 2)) {
		return undefined;
	}

	try {
		return JSON.parse(`[${line.toString('utf8', head, line.length - 1)}]`);
	} catch {
		return undefined;
	}
}
