import {isUtf8} from 'node:buffer';
import {decodeCharset, isKnownCharset, isNameOfUtf8} from './all-charsets.js';

/** A text, and what was wrong with its character set, in a sentence. */
export type ReadText = {readonly text: string; readonly fault?: string};

/** How far into HTML a character set is looked for, in bytes; browsers look a quarter as far. */
const maxMetaOffset = 4096;

/** What is shown of a character set that is not known. */
const maxShownName = 40;

/**
 * The text of a part, given its bytes and the character set that it declares. One that does not fit is neglected: then
 * the one that HTML names in a `<meta>` counts, else UTF-8 where the bytes are in it, else Windows-1252.
 */
export function readText(bytes: Buffer, declared = 'us-ascii', isHtml = false): ReadText {
	const isAscii = /^(?:us-)?ascii$/i.test(declared);
	const isDeclaredUtf8 = isNameOfUtf8(declared);
	const isKnown = isAscii || isDeclaredUtf8 || isKnownCharset(declared);
	if (isDeclaredUtf8 ? isUtf8(bytes) : isKnown && !isAscii) {
		return {text: decodeCharset(bytes, isDeclaredUtf8 ? 'utf-8' : declared)};
	}

	const charset = (isHtml && charsetOfHtml(bytes)) || (isMostlyUtf8(bytes) ? 'UTF-8' : 'windows-1252');
	const text = decodeCharset(bytes, charset);
	if (isAscii && !/[^\x00-\x7f]/.test(text)) {
		return {text};
	}

	const reading = `it was read as ${charset}.`;
	if (isAscii) {
		return {text, fault: `A text has characters outside of ASCII but declares no character set; ${reading}`};
	}

	return isDeclaredUtf8
		? {text, fault: `A text declares the character set UTF-8 but has bytes that are none; ${reading}`}
		: {
				text,
				fault: `A text declares the character set "${declared.slice(0, maxShownName)}", which is unknown; ${reading}`,
			};
}

/** The character set that HTML names, if it fits. */
function charsetOfHtml(bytes: Buffer): string | undefined {
	const start = bytes.toString('latin1', 0, maxMetaOffset);
	const [, charset = ''] = /<meta\s[^>]*?charset\s*=\s*["']?([\w.:-]+)/i.exec(start) ?? [];
	const isFitting = isNameOfUtf8(charset)
		? isUtf8(bytes)
		: // HTML whose tags were read byte by byte is not in UTF-16, whatever it says.
			charset !== '' && !/^(?:utf|ucs|unicode)/i.test(charset) && isKnownCharset(charset);
	return isFitting ? charset : undefined;
}

/** Whether more characters are in UTF-8 than are broken, as some are where a mail was cut off. */
function isMostlyUtf8(bytes: Buffer): boolean {
	if (isUtf8(bytes)) {
		return true;
	}

	const text = bytes.toString();
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
