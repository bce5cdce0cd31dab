import {Transform, type TransformCallback} from 'node:stream';
import {isBlank} from './byte-lines.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const padding = 61;

/** Value of each base64 digit; -1 for other bytes. */
export const base64Digits = Int8Array.from({length: 256}, (_, byte) => alphabet.indexOf(String.fromCharCode(byte)));

/** Number of bytes in which the first line of a text is searched. */
const maxFirstLine = 1000;

/**
 * Decodes base64 (RFC 2045, section 6.8) in linear time. Other characters are skipped; after padding, decoding starts
 * again. A text whose first line is not base64 stays as it is: some senders declare base64 and forget to encode.
 */
export class Base64Decoder extends Transform {
	/** Start of the text until its first line is complete. */
	#start: Buffer | undefined;
	#isBase64 = true;
	/** Bits that do not fill a byte yet, and their number. */
	#bits = 0;
	#bitCount = 0;

	constructor(isText: boolean) {
		super();
		this.#start = isText ? Buffer.alloc(0) : undefined;
	}

	override _transform(piece: Buffer, _encoding: string, done: TransformCallback): void {
		if (this.#start === undefined) {
			done(null, this.#decode(piece));
			return;
		}

		this.#start = Buffer.concat([this.#start, piece]);
		const hasLine = /\S[^\n]*\n/.test(this.#start.toString('latin1', 0, maxFirstLine));
		done(null, hasLine || this.#start.length >= maxFirstLine ? this.#begin() : undefined);
	}

	override _flush(done: TransformCallback): void {
		done(null, this.#begin());
	}

	#begin(): Buffer {
		const start = this.#start ?? Buffer.alloc(0);
		this.#start = undefined;
		const [line = ''] = /\S[^\n]*/.exec(start.toString('latin1', 0, maxFirstLine)) ?? [];
		this.#isBase64 = /^[A-Za-z\d+/]*(?:=|\s*$)/.test(line);
		return this.#decode(start);
	}

	#decode(piece: Buffer): Buffer {
		if (!this.#isBase64) {
			return piece;
		}

		const decoded = Buffer.allocUnsafe(Math.ceil((piece.length * 3) / 4) + 1);
		let length = 0;
		let bits = this.#bits;
		let bitCount = this.#bitCount;
		for (let at = 0; at < piece.length; at++) {
			const byte = piece[at] ?? 0;
			const digit = base64Digits[byte] ?? -1;
			if (digit >= 0) {
				// Fewer than 8 bits remain from earlier characters.
				bits = ((bits << 6) | digit) & 0x3fff;
				bitCount += 6;
				if (bitCount >= 8) {
					bitCount -= 8;
					decoded[length++] = bits >> bitCount;
				}
			} else if (byte === padding) {
				bitCount = 0;
			}
		}

		this.#bits = bits;
		this.#bitCount = bitCount;
		return decoded.subarray(0, length);
	}
}

const tab = 9;
const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const equals = 61;

/** Decodes quoted-printable (RFC 2045, section 6.7) in linear time, once the whole part is available. */
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

/** Decodes bytes in place. White space at the end of a line is removed; an equals sign without a code stays. */
function decode(bytes: Buffer): Buffer {
	let length = 0;
	/** Start of the white space at the end of the output. */
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

		const code = byte === equals ? byteOfHex(bytes, at + 1) : -1;
		const next = byte === equals && code < 0 ? afterLineBreak(bytes, at + 1) : -1;
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

/** Returns the byte of the two hexadecimal digits at `at`; -1 if there are none. */
function byteOfHex(bytes: Buffer, at: number): number {
	const high = hexDigit(bytes[at]);
	const low = hexDigit(bytes[at + 1]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

function hexDigit(byte = 0): number {
	if (byte >= 48 && byte <= 57) {
		return byte - 48;
	}

	const letter = (byte | 32) - 97;
	return letter >= 0 && letter < 6 ? letter + 10 : -1;
}

/** Returns the position after a line end that only white space precedes; -1 if there is none. */
function afterLineBreak(bytes: Buffer, at: number): number {
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
