/** An encoded word (RFC 2047, section 2), a language tag behind its character set (RFC 2231, section 5) left out. */
const encodedWord = /=\?([\w.:-]+)(?:\*[\w-]*)?\?([bq])\?([^?]*)\?=/gi;

/** Turns bytes in a character set into text. */
export type DecodeText = (bytes: Buffer, charset: string) => string;

type Run = {readonly charset: string; readonly bytes: Buffer[]};

/**
 * The text with its encoded words decoded. Neighbours in one character set are decoded together, since senders cut
 * characters in two, and the white space between encoded words goes. What is broken stays as it is.
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

/** Whether Node knows the character sets of all encoded words in the text. */
export function isDecodedByNode(text: string): boolean {
	const charsets = new Set([...text.matchAll(encodedWord)].map(([, charset = '']) => charset.toLowerCase()));
	return [...charsets].every(charset => textByNode(Buffer.of(), charset) !== undefined);
}

/** Decodes the character sets that Node knows; others are taken for UTF-8. */
export function decodeByNode(bytes: Buffer, charset: string): string {
	return textByNode(bytes, charset) ?? bytes.toString();
}

/** Undefined for a character set that Node does not know. */
export function textByNode(bytes: Buffer, charset: string): string | undefined {
	try {
		const decoder = new TextDecoder(charset);
		return decoder.decode(decoder.encoding === 'iso-2022-jp' ? withoutEmptyAscii(bytes) : bytes);
	} catch {
		return undefined;
	}
}

/** ISO-2022-JP without changes to ASCII that end at once, as between encoded words: Node's decoder takes them for errors. */
function withoutEmptyAscii(bytes: Buffer): Buffer {
	return Buffer.from(bytes.toString('latin1').replace(/\x1b\([BJ](?=\x1b)/g, ''), 'latin1');
}

function bytesOf(encoding: string, payload: string): Buffer {
	if (encoding.toLowerCase() === 'b') {
		return Buffer.from(payload, 'base64');
	}

	const escaped = payload.replace(/[^\x00-\x7f]+/g, text => Buffer.from(text).toString('latin1')).replaceAll('_', ' ');
	const bytes = escaped.replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1');
}

function decodeRun(run: Run | undefined, decodeText: DecodeText): string {
	return run === undefined ? '' : decodeText(Buffer.concat(run.bytes), run.charset);
}
