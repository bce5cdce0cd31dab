import {isUtf8} from 'node:buffer';
import libmime from 'libmime';
import type {HeaderField} from '../domain/message.js';

/** A field as it stands in the mail, folds included, each byte being one character; its name in lower case. */
export type RawField = {readonly key: string; readonly line: string};

const windows1252 = new TextDecoder('windows-1252');

/** The fields of a header section. */
export function splitHeader(head: Buffer): RawField[] {
	const section = head.toString('latin1').trimEnd();
	// A line end that white space follows is a fold. mbox files and HTTP posts begin with a line that is no field.
	const lines = section.split(/\r?\n(?![ \t])/);
	const fields = /^(?:From |POST )/i.test(section) ? lines.slice(1) : lines;
	return fields.filter(line => line.includes(':')).map(line => ({key: nameOf(line).toLowerCase(), line}));
}

/** The fields as people read them: unfolded, and encoded words decoded (RFC 2047). */
export function decodeFields(fields: readonly RawField[]): HeaderField[] {
	return fields
		.filter(({key}) => key !== '')
		.map(({line}) => ({name: nameOf(line), value: decodeValue(line.slice(line.indexOf(':') + 1))}));
}

function decodeValue(raw: string): string {
	const value = bytesOf(inUtf8(raw.replace(/(?:\r?\n|\r)[ \t]*/g, ' ').trim())).toString();
	try {
		return libmime.decodeWords(value);
	} catch {
		return value;
	}
}

/** The line itself if its bytes are UTF-8, else as UTF-8 what they say in the character set most such mail is in. */
export function inUtf8(line: string): string {
	const bytes = bytesOf(line);
	return isUtf8(bytes) ? line : Buffer.from(windows1252.decode(bytes)).toString('latin1');
}

function nameOf(line: string): string {
	return line.slice(0, line.indexOf(':')).trim();
}

function bytesOf(line: string): Buffer {
	return Buffer.from(line, 'latin1');
}
