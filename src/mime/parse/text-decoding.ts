import {isUtf8} from 'node:buffer';
import library from 'libmime/lib/charset.js';
import {
	type Decode,
	type DecodeText,
	decodeByNode,
	decodeWindows1252,
	hasUnknownCharacters,
	isPlain,
	nodeDecoder,
} from './charsets.js';
import {base64Digits} from './transfer-encodings.js';

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
const sevenBitDecoders: ReadonlyMap<string, Decode> = new Map([
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

/** Names of Japanese character sets, letters and digits alone. What the library has for them takes more memory than there is. */
const japanese = [
	[/^(?:iso2022jp|jis|cp5022)/, 'iso-2022-jp'],
	[/^eucjp/, 'euc-jp'],
] as const;

/** What the library decodes with great effort and no mail is in. */
const slow = /^(?:utf7|cesu|base64|hex|binary)/;

/** Names of ASCII that people use. */
const ascii =
	/^(?:(?:us-?|cs)?ascii|ansi_x3\.4-19\d\d|(?:cp|ibm)367|iso[-_]?646[-_.](?:us|irv(?::19\d\d)?)|iso646-us|iso-ir-6|us)$/i;

/** How long a text in Big5 may be for Node to try it before the library does, in bytes. */
const maxBytesTwice = 1024 * 1024;

/** Character sets of one mail. */
const maxCharsets = 100;

/**
 * Decodes the texts of a mail. It looks for each character set once, since that takes longer than most words; beyond a
 * hundred of them they are taken for UTF-8, as are those that are not known, of which `hear` hears.
 */
export function createDecodeText(hear: (unknown: string) => void = () => {}): DecodeText {
	const decoders = new Map<string, Decode>();
	return (bytes, charset) => {
		const known = decoders.get(charset);
		if (known) {
			return known(bytes);
		}

		const decode = decoders.size < maxCharsets ? decoderOf(charset) : decodeUtf8;
		if (decode === undefined) {
			hear(charset);
		}

		decoders.set(charset, decode ?? decodeUtf8);
		return (decode ?? decodeUtf8)(bytes);
	};
}

/**
 * The text of bytes in any character set of mail, UTF-7 and those of DOS among them; one that is not known is taken for
 * UTF-8. What this loads takes time, so it is for the worker threads.
 */
function decodeCharset(bytes: Buffer, charset: string): string {
	return (decoderOf(charset) ?? decodeUtf8)(bytes);
}

/** Decodes what is not in UTF-8, though nothing says what else it is in: as the body of its mail, else as most such mail. */
export function rawDecoder(charsetOfBody = 'us-ascii'): Decode {
	return (
		(isNameOfUtf8(charsetOfBody) || isNameOfAscii(charsetOfBody) ? undefined : decoderOf(charsetOfBody)) ??
		decodeWindows1252
	);
}

function isNameOfUtf8(charset: string): boolean {
	return /^utf[-_]?8/i.test(charset);
}

function isNameOfAscii(charset: string): boolean {
	return ascii.test(charset);
}

function decodeUtf8(bytes: Buffer): string {
	return bytes.toString();
}

/** What decodes a character set, as `decodeCharset` does; undefined for one that is not known. */
function decoderOf(charset: string): Decode | undefined {
	const name = charset.toLowerCase();
	const plainName = name.replace(/[^a-z\d]/g, '');
	const [, ofJapanese = name] = japanese.find(([names]) => names.test(plainName)) ?? [];
	const known = nodeDecoder(ofJapanese) ?? sevenBitDecoders.get(plainName);
	if (known && /^(?:cn)?big5/.test(plainName)) {
		return bytes => decodeBig5(bytes, known);
	}

	if (known || slow.test(plainName)) {
		return known;
	}

	const byLibrary = (bytes: Buffer) => library.decode(bytes, name);
	// The library takes what it does not know for UTF-8, in which alone these bytes are "é".
	return byLibrary(Buffer.of(0xc3, 0xa9)) === 'é' ? undefined : byLibrary;
}

/** Big5 with the characters of Hong Kong, which Node does not know. Node is tried first, but for long texts: broken ones take too long to decode twice. */
function decodeBig5(bytes: Buffer, decode: Decode): string {
	if (bytes.length <= maxBytesTwice || isPlain(bytes)) {
		const text = decode(bytes);
		if (!hasUnknownCharacters(text)) {
			return text;
		}
	}

	return library.decode(bytes, 'big5-hkscs');
}

/** A text, and what was wrong with its character set, in a sentence. */
type ReadText = {readonly text: string; readonly problem?: string};

/** How far into HTML a character set is looked for, in bytes; browsers look a quarter as far. */
const maxMetaOffset = 4096;

/** What is shown of a character set that is not known. */
const maxShownName = 40;

/**
 * The text of a part, given its bytes, which do not stay as they are, and the character set that it declares. One that does not
 * fit is neglected: then the one that HTML names in a `<meta>` counts, else UTF-8 where the bytes are in it, else Windows-1252.
 * Lines end in line feeds alone, however many carriage returns were in front of them.
 */
export function readText(bytes: Buffer, declared = 'us-ascii', isHtml = false): ReadText {
	// In UTF-16 and UTF-32, and behind some shifts, the bytes of a line end may be part of other characters.
	const end = isPlain(bytes) ? '\r\n' : '\x1b$B\r\n';
	const decode = decoderOf(declared);
	const hasLineEnds = !hasByteOrderMark(bytes) && (decode === undefined || decode(Buffer.from(end)) === end);
	const said = decodeText(hasLineEnds ? withLineFeeds(bytes) : bytes, {declared, decode, isHtml});
	return {...said, text: textWithLineFeeds(said.text)};
}

/** Takes the carriage returns in front of line feeds away, and gives what is left in the same memory. */
function withLineFeeds<Units extends Uint8Array | Uint16Array>(units: Units): Units {
	let length = 0;
	let returns = 0;
	for (let at = 0; at < units.length; at++) {
		const unit = units[at] ?? 0;
		if (unit === carriageReturn) {
			returns++;
		} else {
			length -= unit === lineFeed ? returns : 0;
			returns = 0;
		}

		units[length++] = unit;
	}

	return units.subarray(0, length) as Units;
}

function textWithLineFeeds(text: string): string {
	if (!text.includes('\r\n')) {
		return text;
	}

	const {buffer, byteOffset} = Buffer.from(text, 'utf16le');
	const {byteLength} = withLineFeeds(new Uint16Array(buffer, byteOffset, text.length));
	return Buffer.from(buffer, byteOffset, byteLength).toString('utf16le');
}

/** What a part says of its text; `decode` is undefined when the character set is not known. */
type Declaration = {readonly declared: string; readonly decode: Decode | undefined; readonly isHtml: boolean};

function decodeText(bytes: Buffer, {declared, decode, isHtml}: Declaration): ReadText {
	const isAscii = isNameOfAscii(declared);
	const isDeclaredUtf8 = isNameOfUtf8(declared);
	const isKnown = isAscii || isDeclaredUtf8 || decode !== undefined;
	if (isDeclaredUtf8 && isUtf8(bytes)) {
		return {text: decodeCharset(bytes, 'utf-8')};
	}

	const isOther = !isAscii && !isDeclaredUtf8 && decode !== undefined && !isRatherUtf8(bytes, declared, decode);
	const asDeclared = isOther ? decode(bytes) : undefined;
	if (asDeclared !== undefined && !asDeclared.includes('\ufffd')) {
		return {text: asDeclared};
	}

	const isBroken = asDeclared !== undefined && !isUtf8(bytes);
	const {charset, text} = isBroken ? {charset: declared, text: asDeclared} : readUndeclared(bytes, isHtml);
	if (isAscii && !/[^\x00-\x7f]/.test(text)) {
		return {text};
	}

	if (isAscii) {
		return {
			text,
			problem: `A text has non-ASCII characters but declares no character set. It was decoded as ${charset}.`,
		};
	}

	const isReadAsDeclared = isBroken || (isDeclaredUtf8 && isNameOfUtf8(charset));
	const reading = isReadAsDeclared ? `They appear as "\ufffd".` : `It was decoded as ${charset}.`;
	const name = isDeclaredUtf8 ? 'UTF-8' : `"${declared.slice(0, maxShownName)}"`;
	const problem = isKnown
		? `A text declares the character set ${name} but contains invalid bytes.`
		: `A text declares the unknown character set ${name}.`;
	return {text, problem: `${problem} ${reading}`};
}

/** Whether bytes are by their form in UTF-8 though they may make up a text in another character set, too. */
function isRatherUtf8(bytes: Buffer, charset: string, decode: Decode): boolean {
	if (!isUtf8(bytes)) {
		return false;
	}

	if (isOfWideUnits(charset)) {
		return !bytes.includes(0) && !hasByteOrderMark(bytes);
	}

	// Where each byte is a character all bytes fit, but in UTF-7.
	const character = longCharacter(bytes);
	const said = decode(character);
	return said.length < character.length || said.includes('\ufffd') || (said !== '' && /utf-?7/i.test(charset));
}

/** The first character of three bytes or more in UTF-8, empty where there is none: those of two are often characters elsewhere. */
function longCharacter(bytes: Buffer): Buffer {
	let at = isPlain(bytes) ? bytes.length : 0;
	while (at < bytes.length && (bytes[at] ?? 0) < 0xe0) {
		at++;
	}

	return bytes.subarray(at, at + ((bytes[at] ?? 0) < 0xf0 ? 3 : 4));
}

/** Whether a character set has no characters of one byte. */
function isOfWideUnits(charset: string): boolean {
	return /^(?:utf-?(?:16|32)|ucs|unicode$)/i.test(charset);
}

function hasByteOrderMark(bytes: Buffer): boolean {
	return (bytes[0] === 0xfe && bytes[1] === 0xff) || (bytes[0] === 0xff && bytes[1] === 0xfe);
}

/** The text of bytes that say themselves what they are in, and what that is. */
function readUndeclared(bytes: Buffer, isHtml: boolean): {readonly charset: string; readonly text: string} {
	const charset = hasByteOrderMark(bytes) ? 'UTF-16' : isHtml ? charsetOfHtml(bytes) : undefined;
	if (charset !== undefined) {
		return {charset, text: decodeCharset(bytes, charset)};
	}

	const text = bytes.toString();
	return isUtf8(bytes) || isMostlyWhole(text)
		? {charset: 'UTF-8', text: text.replace(/^\ufeff/, '')}
		: {charset: 'windows-1252', text: decodeCharset(bytes, 'windows-1252')};
}

/** The character set that HTML names, if it fits. */
function charsetOfHtml(bytes: Buffer): string | undefined {
	const start = bytes.toString('latin1', 0, maxMetaOffset);
	const [, charset = ''] = /<(?:meta\s[^>]*?charset|\?xml\s[^>]*?encoding)\s*=\s*["']?([\w.:-]+)/i.exec(start) ?? [];
	const isFitting = isNameOfUtf8(charset)
		? isUtf8(bytes)
		: // HTML whose tags were read byte by byte is not in UTF-16, whatever it says.
			charset !== '' && !/^(?:utf|ucs|unicode)/i.test(charset) && decoderOf(charset) !== undefined;
	return isFitting ? charset : undefined;
}

/** Whether more characters beyond ASCII are whole than broken, as some are where a mail was cut off. */
function isMostlyWhole(text: string): boolean {
	let whole = 0;
	let broken = 0;
	for (let at = 0; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		if (unit === 0xfffd) {
			broken++;
		} else if (unit > 0x7f) {
			whole++;
		}
	}

	return whole > broken;
}
