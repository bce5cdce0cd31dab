import {base64Digits} from './base64.js';
import {type Decode, decodeByNode} from './charsets.js';

/** Between these bytes two-byte characters stand in 7 bits. */
const shiftOut = 0x0e;
const shiftIn = 0x0f;

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const space = 0x20;
const plus = 0x2b;
const minus = 0x2d;
const tilde = 0x7e;

/** What follows a tilde, and what it stands for. */
const signs: ReadonlyMap<number | undefined, number> = new Map([
	[0x7b, shiftOut],
	[0x7d, shiftIn],
	[tilde, tilde],
]);

/** Character sets of 7 bits that Node does not know, by letters and digits of their names: HZ (RFC 1843), of Korean (RFC 1557), and UTF-7 (RFC 2152). */
export const sevenBitDecoders: ReadonlyMap<string, Decode> = new Map([
	['hzgb2312', bytes => decodeByNode(withoutShifts(withShifts(bytes)), 'gbk')],
	['iso2022kr', bytes => decodeByNode(withoutShifts(withoutDesignation(bytes)), 'euc-kr')],
	['utf7', decodeUtf7],
	['unicode11utf7', decodeUtf7],
]);

function decodeUtf7(bytes: Buffer): string {
	if (!bytes.includes(plus)) {
		return bytes.toString('latin1');
	}

	const units = new Uint16Array(bytes.length);
	let length = 0;
	let isBase64 = false;
	let bits = 0;
	let bitCount = 0;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at] ?? 0;
		const digit = isBase64 ? (base64Digits[byte] ?? -1) : -1;
		if (digit >= 0) {
			// Of the bits of the last character, less than 16 are left.
			bits = ((bits << 6) | digit) & 0x3f_ffff;
			bitCount += 6;
			if (bitCount >= 16) {
				bitCount -= 16;
				units[length++] = bits >> bitCount;
			}
		} else if (!isBase64 && byte === plus) {
			isBase64 = bytes[at + 1] !== minus;
			bitCount = 0;
			if (!isBase64) {
				units[length++] = byte;
				at++;
			}
		} else {
			if (!isBase64 || byte !== minus) {
				units[length++] = byte;
			}

			isBase64 = false;
		}
	}

	return Buffer.from(units.buffer, 0, 2 * length).toString('utf16le');
}

/** The same in 8 bits. A shift lasts to the end of its line at most. */
function withoutShifts(bytes: Buffer): Buffer {
	if (!bytes.includes(shiftOut) && !bytes.includes(shiftIn)) {
		return bytes;
	}

	const plain = Buffer.alloc(bytes.length);
	let length = 0;
	let highBit = 0;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at] ?? 0;
		if (byte === shiftOut) {
			highBit = 0x80;
		} else if (byte === shiftIn) {
			highBit = 0;
		} else {
			highBit = byte === carriageReturn || byte === lineFeed ? 0 : highBit;
			plain[length++] = byte > space ? byte | highBit : byte;
		}
	}

	return plain.subarray(0, length);
}

/** HZ with the shifts of other character sets. A tilde at the end of a line joins it to the next one. */
function withShifts(bytes: Buffer): Buffer {
	if (!bytes.includes(tilde)) {
		return bytes;
	}

	const plain = Buffer.alloc(bytes.length);
	let length = 0;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at] ?? 0;
		if (byte !== tilde) {
			plain[length++] = byte;
			continue;
		}

		at += bytes[at + 1] === carriageReturn ? 2 : 1;
		const sign = signs.get(bytes[at]);
		if (sign !== undefined) {
			plain[length++] = sign;
		}
	}

	return plain.subarray(0, length);
}

function withoutDesignation(bytes: Buffer): Buffer {
	return Buffer.from(bytes.toString('latin1').replaceAll('\x1b$)C', ''), 'latin1');
}
