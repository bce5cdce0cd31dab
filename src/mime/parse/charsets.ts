import {isAscii} from 'node:buffer';

/** Turns bytes in a character set into text. */
export type DecodeText = (bytes: Buffer, charset: string) => string;

/** What Windows-1252 has where ISO-8859-1 has control characters, from 0x80 on. */
const windowsCharacters = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

const windowsUnits = Uint16Array.from({length: 256}, (_, byte) => windowsCharacters.charCodeAt(byte - 0x80) || byte);

/** Bytes that are decoded at a time. */
const pieceBytes = 1024 * 1024;

/** What decoders put in the place of bytes that are broken. */
const replacement = '\ufffd';

const escapeByte = 0x1b;

/** What ASCII has that is something else somewhere: SO, SI, ESC; and what some of Node's decoders take for each other. */
const shifts = [0x0e, 0x0f, 0x1a, escapeByte, 0x1c, 0x7f];

/** Turns bytes into text. */
export type Decode = (bytes: Buffer) => string;

/** Whether a text has characters that are broken, or for private use: such are those that a decoder does not know. */
export function hasUnknownCharacters(text: string): boolean {
	return /[\ufffd\ue000-\uf8ff]/.test(text);
}

/** Decodes the character sets that Node knows; others are taken for UTF-8. */
export function decodeByNode(bytes: Buffer, charset: string): string {
	return nodeDecoder(charset)?.(bytes) ?? bytes.toString();
}

/** Undefined for a character set that Node does not know. */
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

/** Whether bytes are ASCII without shifts to other characters, and so the same in all character sets but those of wide units. */
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

/** Decodes bytes. For what is broken Node's decoders take ten times as long: behind a piece that mostly is, they are given up. */
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

/** Whether so much of a long text is broken that its character set must be another one. */
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

/** Some versions of Node take it for ISO-8859-1. */
export function decodeWindows1252(bytes: Buffer): string {
	const units = new Uint16Array(bytes.length);
	for (let at = 0; at < units.length; at++) {
		units[at] = windowsUnits[bytes[at] ?? 0] ?? 0;
	}

	return Buffer.from(units.buffer).toString('utf16le');
}

/** ISO-2022-JP without changes to ASCII that end at once, as between encoded words: Node's decoder takes them for errors. */
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
