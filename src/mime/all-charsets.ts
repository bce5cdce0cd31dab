import libmime from 'libmime';
import {type Decode, type DecodeText, decodeWindows1252, nodeDecoder} from './charsets.js';
import {sevenBitDecoders} from './seven-bit-charsets.js';

/** Names of Japanese character sets, letters and digits alone. What the library has for them takes more memory than there is. */
const japanese = [
	[/^(?:iso2022jp|jis|cp5022)/, 'iso-2022-jp'],
	[/^eucjp/, 'euc-jp'],
] as const;

/** What the library decodes with great effort and no mail is in. */
const slow = /^(?:utf7|cesu|base64|hex|binary)/;

/** Character sets of one mail. */
const maxCharsets = 100;

/**
 * Decodes the texts of a mail. It looks for each character set once, since that takes longer than most words; beyond a
 * hundred of them they are taken for UTF-8.
 */
export function createDecodeText(): DecodeText {
	const decoders = new Map<string, Decode>();
	return (bytes, charset) => {
		const known = decoders.get(charset);
		if (known) {
			return known(bytes);
		}

		const decode = (decoders.size < maxCharsets && decoderOf(charset)) || decodeUtf8;
		decoders.set(charset, decode);
		return decode(bytes);
	};
}

/**
 * The text of bytes in any character set of mail, UTF-7 and those of DOS among them; one that is not known is taken for
 * UTF-8. What this loads takes time, so it is for the worker threads.
 */
export function decodeCharset(bytes: Buffer, charset: string): string {
	return (decoderOf(charset) ?? decodeUtf8)(bytes);
}

export function isKnownCharset(charset: string): boolean {
	return decoderOf(charset) !== undefined;
}

/** Decodes what is not in UTF-8, though nothing says what else it is in: as the body of its mail, else as most such mail. */
export function rawDecoder(charsetOfBody = 'us-ascii'): Decode {
	return (isNameOfUtf8(charsetOfBody) ? undefined : decoderOf(charsetOfBody)) ?? decodeWindows1252;
}

export function isNameOfUtf8(charset: string): boolean {
	return /^utf[-_]?8/i.test(charset);
}

function decodeUtf8(bytes: Buffer): string {
	return bytes.toString();
}

/** Undefined for a character set that is not known. */
function decoderOf(charset: string): Decode | undefined {
	const name = charset.toLowerCase();
	const plainName = name.replace(/[^a-z\d]/g, '');
	const [, ofJapanese = name] = japanese.find(([names]) => names.test(plainName)) ?? [];
	const known = nodeDecoder(ofJapanese) ?? sevenBitDecoders.get(plainName);
	if (known || slow.test(plainName)) {
		return known;
	}

	const byLibrary = (bytes: Buffer) => libmime.decodeWord(name, 'B', bytes.toString('base64'));
	// The library takes what it does not know for UTF-8, in which alone these bytes are "é".
	return byLibrary(Buffer.of(0xc3, 0xa9)) === 'é' ? undefined : byLibrary;
}
