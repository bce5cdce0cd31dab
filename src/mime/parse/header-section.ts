import {isUtf8} from 'node:buffer';
import type {HeaderField} from '../../domain/mail/message.js';
import {isBlank} from './byte-lines.js';
import {type Decode, type DecodeText, decodeByNode} from './charsets.js';
import {decodeWords, encodeRawBytes} from './encoded-words.js';

/** Maximum length of a header section; mailparser has the same limit. */
export const maxHeadBytes = 1024 * 1024;

/** Byte order mark, which some editors write at the start of a file. */
const byteOrderMark = Buffer.from('\ufeff');

/** Escape sequence for Japanese in ISO-2022-JP, which is otherwise ASCII. */
const japaneseEscape = /\x1b\$[@B]/;

/** Undecoded header field with its folds, one character per byte. `key` is its name in lower case. */
export type RawField = {readonly key: string; readonly line: string};

/** Returns the header section of a mail, up to its empty line (RFC 5322, section 2.2) or 1 MiB. */
export function headOf(mail: Buffer): Buffer {
	let head = mail.subarray(contentStart(mail), maxHeadBytes);
	if (isBlank(head, 0)) {
		return head.subarray(0, 0);
	}

	for (const emptyLine of ['\n\r\n', '\n\n', '\n\r\r\n']) {
		const end = head.indexOf(emptyLine);
		head = end < 0 ? head : head.subarray(0, end);
	}

	return head;
}

/** True if the start of a mail holds its complete header section, or 1 MiB of it. */
export function hasHead(mail: Buffer): boolean {
	return contentStart(mail) + headOf(mail).length < mail.length;
}

/** Skips a byte order mark. */
export async function* withoutByteOrderMark(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	let start: Buffer | undefined = Buffer.alloc(0);
	for await (const piece of source) {
		if (start === undefined) {
			yield piece;
			continue;
		}

		start = Buffer.concat([start, piece]);
		if (start.length >= byteOrderMark.length) {
			yield start.subarray(contentStart(start));
			start = undefined;
		}
	}

	if (start !== undefined) {
		yield start;
	}
}

/** Splits a header section into fields. */
export function splitHeader(head: Buffer): RawField[] {
	const section = head.toString('latin1').trimEnd();
	// A line end before white space is a fold. mbox files and HTTP posts begin with a line that is no field.
	const lines = section.split(/\r?\n(?![ \t])/);
	const fields = /^(?:From (?![ \t]*:)|POST )/i.test(section) ? lines.slice(1) : lines;
	return fields.filter(line => line.includes(':')).map(line => ({key: nameOf(line).toLowerCase(), line}));
}

/** Unfolds fields and decodes their encoded words (RFC 2047). Bytes that are not valid UTF-8 are decoded by `decodeRaw`. */
export function decodeFields(fields: readonly RawField[], decodeText: DecodeText, decodeRaw: Decode): HeaderField[] {
	return fields
		.filter(({key}) => key !== '')
		.map(({line}) => ({
			name: nameOf(line),
			value: decodeWords(textOfField(line.slice(line.indexOf(':') + 1), decodeRaw), decodeText),
		}));
}

/** Unfolds and decodes the value of a field. Bytes that are not valid UTF-8 are decoded by `decodeRaw`. */
export function textOfField(value: string, decodeRaw: Decode): string {
	const unfolded = value.replace(/(?:\r?\n|\r)[ \t]*/g, ' ').trim();
	if (unfolded === '') {
		return '';
	}

	const bytes = Buffer.from(encodeRawBytes(unfolded), 'latin1');
	if (japaneseEscape.test(unfolded)) {
		return decodeByNode(bytes, 'iso-2022-jp');
	}

	return isUtf8(bytes) ? bytes.toString() : decodeRaw(bytes);
}

function contentStart(mail: Buffer): number {
	return mail.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
}

function nameOf(line: string): string {
	return line.slice(0, line.indexOf(':')).trim();
}

/** Returns the ranges of the comments in a header field (RFC 5322, section 3.2.2), including their parentheses. */
export function commentsIn(field: string): Array<readonly [from: number, to: number]> {
	const comments: Array<readonly [number, number]> = [];
	let depth = 0;
	let from = 0;
	let isQuoted = false;
	for (let at = 0; at < field.length; at++) {
		const sign = field[at];
		if (sign === '\\') {
			at++;
		} else if (sign === '"' && depth === 0) {
			isQuoted = !isQuoted;
		} else if (sign === '(' && !isQuoted) {
			from = depth === 0 ? at : from;
			depth++;
		} else if (sign === ')' && depth > 0) {
			depth--;
			if (depth === 0) {
				comments.push([from, at + 1]);
			}
		}
	}

	return comments;
}
