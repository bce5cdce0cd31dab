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

/** Bytes around two-byte characters in 7 bits. */
const shiftOut = 0x0e;
const shiftIn = 0x0f;

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const space = 0x20;
const plus = 0x2b;
const minus = 0x2d;
const tilde = 0x7e;

/** Characters after a tilde in HZ, and their meaning. */
const signs: ReadonlyMap<number | undefined, number> = new Map([
	[0x7b, shiftOut],
	[0x7d, shiftIn],
	[tilde, tilde],
]);

/**
 * Decoders of 7-bit character sets that Node.js does not know, by the letters and digits of their names: HZ (RFC 1843),
 * Korean (RFC 1557), UTF-7 (RFC 2152).
 */
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
			// Fewer than 16 bits remain from earlier characters.
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

/** Converts shifted 7-bit characters to 8 bits. A shift lasts at most to the end of its line. */
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

/** Converts HZ to the shifts of other character sets. A tilde at the end of a line joins it to the next line. */
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

/** Names of Japanese character sets without punctuation. The decoders of the library for these exceed the memory limit. */
const japanese = [
	[/^(?:iso2022jp|jis|cp5022)/, 'iso-2022-jp'],
	[/^eucjp/, 'euc-jp'],
] as const;

/** Character sets that the library decodes slowly and that no mail uses. */
const slow = /^(?:utf7|cesu|base64|hex|binary)/;

/** Names of ASCII. */
const ascii =
	/^(?:(?:us-?|cs)?ascii|ansi_x3\.4-19\d\d|(?:cp|ibm)367|iso[-_]?646[-_.](?:us|irv(?::19\d\d)?)|iso646-us|iso-ir-6|us)$/i;

/** Maximum length of a text in Big5 that Node.js tries before the library, in bytes. */
const maxBytesTwice = 1024 * 1024;

/** Maximum number of character sets per mail. */
const maxCharsets = 100;

/**
 * Creates a decoder for the texts of a mail. It caches a decoder per character set, because the lookup takes longer than
 * most words. Unknown character sets, and those beyond the first 100, are read as UTF-8; `onUnknown` is called for unknown
 * ones.
 */
export function createDecodeText(onUnknown: (unknown: string) => void = () => {}): DecodeText {
	const decoders = new Map<string, Decode>();
	return (bytes, charset) => {
		const cached = decoders.get(charset);
		if (cached) {
			return cached(bytes);
		}

		const decode = decoders.size < maxCharsets ? decoderOf(charset) : decodeUtf8;
		if (decode === undefined) {
			onUnknown(charset);
		}

		decoders.set(charset, decode ?? decodeUtf8);
		return (decode ?? decodeUtf8)(bytes);
	};
}

/**
 * Decodes any character set of mail, including UTF-7 and DOS character sets; unknown ones are read as UTF-8. Only for
 * worker threads, because the library takes time to load.
 */
function decodeCharset(bytes: Buffer, charset: string): string {
	return (decoderOf(charset) ?? decodeUtf8)(bytes);
}

/** Returns a decoder for undeclared bytes that are not UTF-8: the character set of the body, otherwise Windows-1252. */
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

/** Returns a decoder like `decodeCharset`; undefined for an unknown character set. */
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
	// The library reads unknown character sets as UTF-8, the only one in which these bytes are "é".
	return byLibrary(Buffer.of(0xc3, 0xa9)) === 'é' ? undefined : byLibrary;
}

/**
 * Decodes Big5 with the characters of Hong Kong, which Node.js does not know. Tries Node.js first, except for long texts:
 * invalid ones would take too long to decode twice.
 */
function decodeBig5(bytes: Buffer, decode: Decode): string {
	if (bytes.length <= maxBytesTwice || isPlain(bytes)) {
		const text = decode(bytes);
		if (!hasUnknownCharacters(text)) {
			return text;
		}
	}

	return library.decode(bytes, 'big5-hkscs');
}

/** Decoded text, with a sentence about a problem of its character set. */
type ReadText = {readonly text: string; readonly problem?: string};

/** Number of bytes of HTML in which a character set is searched; browsers search a quarter. */
const maxMetaOffset = 4096;

/** Maximum length of the quoted name of an unknown character set. */
const maxShownName = 40;

/**
 * Decodes the text of a part; overwrites `bytes`. If the declared character set does not fit, uses the one in a `<meta>`
 * of HTML, otherwise UTF-8 if the bytes are valid, otherwise Windows-1252. Converts line ends to line feeds, whatever the
 * number of carriage returns before them.
 */
export function readText(bytes: Buffer, declared = 'us-ascii', isHtml = false): ReadText {
	// In UTF-16, UTF-32 and after some shifts, the bytes of a line end may be part of other characters.
	const end = isPlain(bytes) ? '\r\n' : '\x1b$B\r\n';
	const decode = decoderOf(declared);
	const hasLineEnds = !hasByteOrderMark(bytes) && (decode === undefined || decode(Buffer.from(end)) === end);
	const result = decodeText(hasLineEnds ? withLineFeeds(bytes) : bytes, {declared, decode, isHtml});
	return {...result, text: textWithLineFeeds(result.text)};
}

/** Removes carriage returns before line feeds, in place. */
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

/** Declared character set of a text; `decode` is undefined if it is unknown. */
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

/** True if the bytes look like UTF-8, although they are also valid in the declared character set. */
function isRatherUtf8(bytes: Buffer, charset: string, decode: Decode): boolean {
	if (!isUtf8(bytes)) {
		return false;
	}

	// Character sets without single-byte characters.
	if (/^(?:utf-?(?:16|32)|ucs|unicode$)/i.test(charset)) {
		return !bytes.includes(0) && !hasByteOrderMark(bytes);
	}

	// Single-byte character sets accept all bytes, except UTF-7.
	const character = longCharacter(bytes);
	const result = decode(character);
	return result.length < character.length || result.includes('\ufffd') || (result !== '' && /utf-?7/i.test(charset));
}

/**
 * Returns the first UTF-8 character of at least three bytes, empty if there is none. Shorter ones are often valid
 * characters in other character sets.
 */
function longCharacter(bytes: Buffer): Buffer {
	let at = isPlain(bytes) ? bytes.length : 0;
	while (at < bytes.length && (bytes[at] ?? 0) < 0xe0) {
		at++;
	}

	return bytes.subarray(at, at + ((bytes[at] ?? 0) < 0xf0 ? 3 : 4));
}

function hasByteOrderMark(bytes: Buffer): boolean {
	return (bytes[0] === 0xfe && bytes[1] === 0xff) || (bytes[0] === 0xff && bytes[1] === 0xfe);
}

/** Detects the character set of bytes and decodes them. */
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

/** Returns the character set in the HTML, if it fits. */
function charsetOfHtml(bytes: Buffer): string | undefined {
	const start = bytes.toString('latin1', 0, maxMetaOffset);
	const [, charset = ''] = /<(?:meta\s[^>]*?charset|\?xml\s[^>]*?encoding)\s*=\s*["']?([\w.:-]+)/i.exec(start) ?? [];
	const isFitting = isNameOfUtf8(charset)
		? isUtf8(bytes)
		: // HTML whose tags are readable byte by byte is not UTF-16, whatever it declares.
			charset !== '' && !/^(?:utf|ucs|unicode)/i.test(charset) && decoderOf(charset) !== undefined;
	return isFitting ? charset : undefined;
}

/** True if most non-ASCII characters are valid, as in a truncated mail. */
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
