import libmime from 'libmime';
import {textByNode} from './charsets.js';

/** Between these control characters two-byte characters stand in 7 bits. */
const shiftOut = '\x0e';
const shiftIn = '\x0f';

/** Character sets of 7 bits, each with the one of 8 bits that has the same characters (RFC 1843 and RFC 1557). */
const shifted: Readonly<Record<string, (text: string) => string | undefined>> = {
	'hz-gb-2312': text => {
		const shifts: Readonly<Record<string, string>> = {'{': shiftOut, '}': shiftIn, '~': '~'};
		return textByNode(withoutShifts(text.replace(/~([{}~]|\r?\n)/g, (_, sign: string) => shifts[sign] ?? '')), 'gbk');
	},
	'iso-2022-kr': text => textByNode(withoutShifts(text.replaceAll('\x1b$)C', '')), 'euc-kr'),
};

/**
 * The text of bytes in any character set of mail, UTF-7 and those of DOS among them; one that is not known is taken for
 * UTF-8. What this loads takes time, so it is for the worker threads.
 */
export function decodeCharset(bytes: Buffer, charset: string): string {
	return (
		textByNode(bytes, charset) ??
		shifted[charset.toLowerCase()]?.(bytes.toString('latin1')) ??
		libmime.decodeWord(charset, 'B', bytes.toString('base64'))
	);
}

/** Whether the character set is known. */
export function isKnownCharset(charset: string): boolean {
	// The bytes are "é" in UTF-8 alone.
	return textByNode(Buffer.of(), charset) !== undefined || decodeCharset(Buffer.of(0xc3, 0xa9), charset) !== 'é';
}

/** The same in 8 bits. A shift lasts to the end of its line at most. */
function withoutShifts(text: string): Buffer {
	const [ascii = '', ...pieces] = text.split(shiftOut);
	return Buffer.concat([
		Buffer.from(ascii, 'latin1'),
		...pieces.flatMap(piece => {
			const found = piece.search(/[\x0f\r\n]/);
			const end = found < 0 ? piece.length : found;
			const twoBytes = Buffer.from(piece.slice(0, end), 'latin1').map(byte => byte | 0x80);
			return [twoBytes, Buffer.from(piece.slice(end).replaceAll(shiftIn, ''), 'latin1')];
		}),
	]);
}
