import {isUtf8} from 'node:buffer';
import type {HeaderField} from '../../domain/mail/message.js';
import {isBlank} from './byte-lines.js';
import {type Decode, type DecodeText, decodeByNode} from './charsets.js';
import {decodeWords, encodeRawBytes} from './encoded-words.js';

/** As much of a mail as is looked at for its header section; mailparser reads no longer one. */
export const maxHeadBytes = 1024 * 1024;

/** Some editors put it before all they write. */
const byteOrderMark = Buffer.from('\ufeff');

/** With this Japanese begins in ISO-2022-JP, which is ASCII but for that. */
const japaneseEscape = /\x1b\$[@B]/;

/** A field as it stands in the mail, folds included, each byte being one character; its name in lower case. */
export type RawField = {readonly key: string; readonly line: string};

/** The header section at the beginning of a mail, up to its empty line (RFC 5322, section 2.2) or 1 MiB. */
export function headOf(mail: Buffer): Buffer {
	let head = mail.subarray(beginningOf(mail), maxHeadBytes);
	if (isBlank(head, 0)) {
		return head.subarray(0, 0);
	}

	for (const emptyLine of ['\n\r\n', '\n\n', '\n\r\r\n']) {
		const end = head.indexOf(emptyLine);
		head = end < 0 ? head : head.subarray(0, end);
	}

	return head;
}

/** Whether the beginning of a mail has its header section, as far as that is looked at. */
export function hasHead(mail: Buffer): boolean {
	return beginningOf(mail) + headOf(mail).length < mail.length;
}

/** The bytes of a mail from its first field on. */
export async function* withoutByteOrderMark(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	let start: Buffer | undefined = Buffer.alloc(0);
	for await (const piece of source) {
		if (start === undefined) {
			yield piece;
			continue;
		}

		start = Buffer.concat([start, piece]);
		if (start.length >= byteOrderMark.length) {
			yield start.subarray(beginningOf(start));
			start = undefined;
		}
	}

	if (start !== undefined) {
		yield start;
	}
}

/** The fields of a header section. */
export function splitHeader(head: Buffer): RawField[] {
	const section = head.toString('latin1').trimEnd();
	// A line end that white space follows is a fold. mbox files and HTTP posts begin with a line that is no field.
	const lines = section.split(/\r?\n(?![ \t])/);
	const fields = /^(?:From (?![ \t]*:)|POST )/i.test(section) ? lines.slice(1) : lines;
	return fields.filter(line => line.includes(':')).map(line => ({key: nameOf(line).toLowerCase(), line}));
}

/** The fields as people read them: unfolded, and encoded words decoded (RFC 2047). What is not in UTF-8 is left to `decodeRaw`. */
export function decodeFields(fields: readonly RawField[], decodeText: DecodeText, decodeRaw: Decode): HeaderField[] {
	return fields
		.filter(({key}) => key !== '')
		.map(({line}) => ({
			name: nameOf(line),
			value: decodeWords(textOfField(line.slice(line.indexOf(':') + 1), decodeRaw), decodeText),
		}));
}

/** The unfolded value of a field, given byte for byte: in UTF-8 if it is that. */
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

function beginningOf(mail: Buffer): number {
	return mail.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
}

function nameOf(line: string): string {
	return line.slice(0, line.indexOf(':')).trim();
}

/** Where the comments of a header field stand (RFC 5322, section 3.2.2): from the opening parenthesis to behind its closing one. */
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
