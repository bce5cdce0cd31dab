import {type DecodeText, nodeDecoder} from './charsets.js';

/**
 * Encoded word (RFC 2047, section 2), with or without a language tag (RFC 2231, section 5). Some senders forget to encode
 * a few question marks in it.
 */
const encodedWord = /=\?([\w.:-]+)(?:\*[\w-]*)?\?([bq])\?([^?]*(?:(?<!=)\?(?!=)[^?]*){0,8})\?=/gi;

type Run = {readonly charset: string; readonly bytes: Buffer[]};

/**
 * Decodes the encoded words of a text. Adjacent words in one character set are decoded together, because senders split
 * characters, and white space between words is removed. Invalid words stay as they are.
 */
export function decodeWords(text: string, decodeText: DecodeText): string {
	if (!text.includes('=?')) {
		return text;
	}

	let decoded = '';
	let end = 0;
	let run: Run | undefined;
	for (const match of text.matchAll(encodedWord)) {
		const [word, charset = '', encoding = '', payload = ''] = match;
		const between = text.slice(end, match.index);
		const isNeighbour = run !== undefined && between.trim() === '';
		if (run === undefined || !isNeighbour || run.charset !== charset.toLowerCase()) {
			decoded += decodeRun(run, decodeText) + (isNeighbour ? '' : between);
			run = {charset: charset.toLowerCase(), bytes: []};
		}

		run.bytes.push(bytesOf(encoding, payload));
		end = match.index + word.length;
	}

	return decoded + decodeRun(run, decodeText) + text.slice(end);
}

/** Encodes non-ASCII bytes in the encoded words of a field, which some senders forget. One character per byte. */
export function encodeRawBytes(field: string): string {
	if (!field.includes('=?')) {
		return field;
	}

	return field.replace(encodedWord, (word, _charset: string, encoding: string) =>
		encoding.toLowerCase() === 'q' ? word.replace(/[\x80-\xff]/g, byte => `=${byte.charCodeAt(0).toString(16)}`) : word,
	);
}

/** True if Node.js knows the character sets of all encoded words. */
export function isDecodedByNode(text: string): boolean {
	if (!text.includes('=?')) {
		return true;
	}

	const charsets = new Set([...text.matchAll(encodedWord)].map(([, charset = '']) => charset.toLowerCase()));
	return [...charsets].every(charset => nodeDecoder(charset) !== undefined);
}

function bytesOf(encoding: string, payload: string): Buffer {
	if (encoding.toLowerCase() === 'b') {
		return Buffer.from(payload, 'base64');
	}

	const bytes = payload
		.replaceAll('_', ' ')
		.replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1');
}

function decodeRun(run: Run | undefined, decodeText: DecodeText): string {
	return run === undefined ? '' : decodeText(Buffer.concat(run.bytes), run.charset);
}
