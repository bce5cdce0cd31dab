import {isUtf8} from 'node:buffer';
import {decodeCharset, decoderOf, isNameOfAscii, isNameOfUtf8} from './all-charsets.js';
import {type Decode, isPlain} from './charsets.js';

const carriageReturn = 13;
const lineFeed = 10;

/** A text, and what was wrong with its character set, in a sentence. */
export type ReadText = {readonly text: string; readonly problem?: string};

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
