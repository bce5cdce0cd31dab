import {Transform, type TransformCallback} from 'node:stream';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const equals = 61;

/** What each byte stands for in base64: six bits, or -1 for what is none of it. */
export const base64Digits = Int8Array.from({length: 256}, (_, byte) => alphabet.indexOf(String.fromCharCode(byte)));

/** As much of a text as is looked at for its first line, in bytes. */
const maxFirstLine = 1000;

/**
 * Takes base64 away (RFC 2045, section 6.8), in linear time. What is none of it is skipped; behind padding it begins anew. A
 * text whose first line is none stays as it is: some senders declare base64 and forget it.
 */
export class Base64Decoder extends Transform {
	/** The text as far as its first line is not whole yet. */
	#start: Buffer | undefined;
	#isBase64 = true;
	/** What is left of characters that made no whole byte so far, and how many bits of it count. */
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
				// Of the bits of the last character, less than 8 are left.
				bits = ((bits << 6) | digit) & 0x3fff;
				bitCount += 6;
				if (bitCount >= 8) {
					bitCount -= 8;
					decoded[length++] = bits >> bitCount;
				}
			} else if (byte === equals) {
				bitCount = 0;
			}
		}

		this.#bits = bits;
		this.#bitCount = bitCount;
		return decoded.subarray(0, length);
	}
}
