import {Transform, type TransformCallback} from 'node:stream';
import {isBlank} from './byte-lines.js';

const tab = 9;
const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const equals = 61;

/** Takes quoted-printable away (RFC 2045, section 6.7), in linear time, once all of it is there. */
export class QuotedPrintableDecoder extends Transform {
	readonly #pieces: Buffer[] = [];

	override _transform(piece: Buffer, _encoding: string, done: TransformCallback): void {
		this.#pieces.push(piece);
		done();
	}

	override _flush(done: TransformCallback): void {
		done(null, decode(Buffer.concat(this.#pieces)));
	}
}

/**
 * Decodes bytes in their own place. White space at the end of lines is none of the text; an equals sign that begins no code
 * stays as it is.
 */
function decode(bytes: Buffer): Buffer {
	let length = 0;
	/** Where the white space begins that the last line ends in. */
	let trimmed = 0;
	let at = 0;
	while (at < bytes.length) {
		let byte = bytes[at] ?? 0;
		if (byte > space && byte !== equals) {
			do {
				bytes[length++] = byte;
				byte = bytes[++at] ?? 0;
			} while (byte > space && byte !== equals);
			trimmed = length;
			continue;
		}

		const code = byte === equals ? codeAt(bytes, at + 1) : -1;
		const next = byte === equals && code < 0 ? behindBreak(bytes, at + 1) : -1;
		if (next >= 0) {
			trimmed = length;
			at = next;
			continue;
		}

		if (byte === lineFeed) {
			length = trimmed;
			if (bytes[at - 1] === carriageReturn) {
				bytes[length++] = carriageReturn;
			}
		}

		bytes[length++] = code < 0 ? byte : code;
		if (code >= 0 || !(byte === space || byte === tab || byte === carriageReturn)) {
			trimmed = length;
		}

		at += code < 0 ? 1 : 3;
	}

	return bytes.subarray(0, trimmed);
}

/** The byte whose two hexadecimal digits stand there; -1 when none do. */
function codeAt(bytes: Buffer, at: number): number {
	const high = digit(bytes[at]);
	const low = digit(bytes[at + 1]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

function digit(byte = 0): number {
	if (byte >= 48 && byte <= 57) {
		return byte - 48;
	}

	const letter = (byte | 32) - 97;
	return letter >= 0 && letter < 6 ? letter + 10 : -1;
}

/** What follows on a line end, or the end, with nothing but white space in front of it; -1 when there is none. */
function behindBreak(bytes: Buffer, at: number): number {
	let end = at;
	while (bytes[end] === space || bytes[end] === tab) {
		end++;
	}

	if (isBlank(bytes, end)) {
		while (bytes[end] !== lineFeed) {
			end++;
		}

		return end + 1;
	}

	return end === bytes.length ? end : -1;
}
