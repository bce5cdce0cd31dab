import library from 'libmime/lib/charset.js';
import {
	type Decode,
	type DecodeText,
	decodeWindows1252,
	hasUnknownCharacters,
	isPlain,
	nodeDecoder,
} from './charsets.js';
import {sevenBitDecoders} from './seven-bit-charsets.js';

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
export function decodeCharset(bytes: Buffer, charset: string): string {
	return (decoderOf(charset) ?? decodeUtf8)(bytes);
}

/** Decodes what is not in UTF-8, though nothing says what else it is in: as the body of its mail, else as most such mail. */
export function rawDecoder(charsetOfBody = 'us-ascii'): Decode {
	return (
		(isNameOfUtf8(charsetOfBody) || isNameOfAscii(charsetOfBody) ? undefined : decoderOf(charsetOfBody)) ??
		decodeWindows1252
	);
}

export function isNameOfUtf8(charset: string): boolean {
	return /^utf[-_]?8/i.test(charset);
}

export function isNameOfAscii(charset: string): boolean {
	return ascii.test(charset);
}

function decodeUtf8(bytes: Buffer): string {
	return bytes.toString();
}

/** What decodes a character set, as `decodeCharset` does; undefined for one that is not known. */
export function decoderOf(charset: string): Decode | undefined {
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
