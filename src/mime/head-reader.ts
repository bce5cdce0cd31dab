import type {Readable} from 'node:stream';
import type {HeaderField, Summary} from '../domain/message.js';
import {createDecodeText, rawDecoder} from './all-charsets.js';
import {decodeFields, hasHead, headOf, splitHeader} from './header-section.js';
import {anySummary} from './summary.js';

/** A character set in a field `Content-Type`. No field is looked at twice. */
const declaredCharset = /^content-type:(?:[^\n]|\n(?=[ \t]))*?[;\s]charset\s*=\s*["']?([\w.:+-]+)/im;

/** The summary of a mail, of which no more is read than it takes. */
export async function readSummary(source: Readable): Promise<Summary> {
	const mail = await readBeginning(source);
	return anySummary(mail, createDecodeText(), rawDecoder(charsetIn(mail)));
}

/** The decoded fields at the beginning of a mail. */
export function readHeaders(mail: Buffer): HeaderField[] {
	return decodeFields(splitHeader(headOf(mail)), createDecodeText(), rawDecoder(charsetIn(mail)));
}

/** The first character set that a mail declares: of its body, or of the first part of that. */
function charsetIn(mail: Buffer): string | undefined {
	const head = headOf(mail).toString('latin1');
	return declaredCharset.exec(/^content-type:\s*multipart\//im.test(head) ? mail.toString('latin1') : head)?.[1];
}

/** A mail as far as it has its header section, and what came with the end of that. */
async function readBeginning(source: Readable): Promise<Buffer> {
	let mail: Buffer = Buffer.alloc(0);
	for await (const piece of source as AsyncIterable<Buffer>) {
		mail = Buffer.concat([mail, piece]);
		if (hasHead(mail)) {
			break;
		}
	}

	return mail;
}
