import {isAscii} from 'node:buffer';

/** Decodes bytes in a named character set. */
export type DecodeText = (bytes: Buffer, charset: string) => string;

/** Characters of Windows-1252 from 0x80 on, where ISO-8859-1 has control characters. */
const windowsCharacters = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

const windowsUnits = Uint16Array.from({length: 256}, (_, byte) => windowsCharacters.charCodeAt(byte - 0x80) || byte);

/** Number of bytes to decode at once. */
const pieceBytes = 1024 * 1024;

/** Replacement character for invalid bytes. */
const replacement = '\ufffd';

const escapeByte = 0x1b;

/**
 * ASCII characters with another meaning in some character sets: SO, SI, ESC; and characters that some decoders of Node.js
 * confuse.
 */
const shifts = [0x0e, 0x0f, 0x1a, escapeByte, 0x1c, 0x7f];

/** Decodes bytes. */
export type Decode = (bytes: Buffer) => string;

/** True if the text has replacement or private-use characters, which stand for bytes that a decoder does not know. */
export function hasUnknownCharacters(text: string): boolean {
	return /[\ufffd\ue000-\uf8ff]/.test(text);
}

/** Decodes a character set that Node.js knows; others are read as UTF-8. */
export function decodeByNode(bytes: Buffer, charset: string): string {
	return nodeDecoder(charset)?.(bytes) ?? bytes.toString();
}

/** Returns a decoder of Node.js; undefined for an unknown character set. */
export function nodeDecoder(charset: string): Decode | undefined {
	const decoder = textDecoder(charset);
	if (decoder === undefined) {
		return undefined;
	}

	const {encoding} = decoder;
	if (encoding.startsWith('utf-16')) {
		// "UTF-16" is either byte order, as its mark says (RFC 2781, section 4.3).
		const isMarked = (bytes: Buffer) => encoding === 'utf-16le' && bytes[0] === 0xfe && bytes[1] === 0xff;
		return bytes => (isMarked(bytes) ? new TextDecoder('utf-16be') : decoder).decode(bytes);
	}

	return bytes => (isPlain(bytes) ? bytes.toString('latin1') : decodeBytes(bytes, decoder));
}

/** True if the bytes are ASCII without shifts, which decodes equally in every character set except UTF-16 and UTF-32. */
export function isPlain(bytes: Buffer): boolean {
	return isAscii(bytes) && !shifts.some(shift => bytes.includes(shift));
}

function decodeBytes(bytes: Buffer, decoder: InstanceType<typeof TextDecoder>): string {
	switch (decoder.encoding) {
		case 'utf-8':
			return decoder.decode(bytes);
		case 'windows-1252':
			return decodeWindows1252(bytes);
		case 'iso-2022-jp':
			return decodeInPieces(decoder, withoutEmptyAscii(bytes));
		default:
			return decodeInPieces(decoder, bytes);
	}
}

/**
 * Decodes bytes in pieces. Decoders of Node.js are ten times as slow for invalid bytes, so decoding stops after a piece
 * that is mostly invalid.
 */
function decodeInPieces(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): string {
	let text = '';
	for (let end = 0; end < bytes.length; ) {
		const start = end;
		end += pieceBytes;
		const piece = decoder.decode(bytes.subarray(start, end), {stream: end < bytes.length});
		text += piece;
		if (end < bytes.length && isMostlyBroken(piece)) {
			return text + decoder.decode() + decodeWindows1252(bytes.subarray(end));
		}
	}

	return text;
}

/** True if more than a quarter of the characters are invalid, so that the character set must be wrong. */
function isMostlyBroken(text: string): boolean {
	let broken = 0;
	for (let at = text.indexOf(replacement); at >= 0; at = text.indexOf(replacement, at + 1)) {
		broken++;
	}

	return broken > text.length / 4;
}

function textDecoder(charset: string) {
	try {
		return new TextDecoder(charset);
	} catch {
		return undefined;
	}
}

/** Decodes Windows-1252, which some versions of Node.js read as ISO-8859-1. */
export function decodeWindows1252(bytes: Buffer): string {
	const units = new Uint16Array(bytes.length);
	for (let at = 0; at < units.length; at++) {
		units[at] = windowsUnits[bytes[at] ?? 0] ?? 0;
	}

	return Buffer.from(units.buffer).toString('utf16le');
}

/** Removes empty switches to ASCII from ISO-2022-JP, as between encoded words: the decoder of Node.js takes them for errors. */
function withoutEmptyAscii(bytes: Buffer): Buffer {
	if (!bytes.includes('\x1b(B\x1b') && !bytes.includes('\x1b(J\x1b')) {
		return bytes;
	}

	const kept = Buffer.allocUnsafe(bytes.length);
	let length = 0;
	for (let at = 0; at < bytes.length; at++) {
		const isAscii =
			bytes[at] === escapeByte && bytes[at + 1] === 0x28 && (bytes[at + 2] === 0x42 || bytes[at + 2] === 0x4a);
		if (isAscii && bytes[at + 3] === escapeByte) {
			at += 2;
		} else {
			kept[length++] = bytes[at] ?? 0;
		}
	}

	return kept.subarray(0, length);
}
