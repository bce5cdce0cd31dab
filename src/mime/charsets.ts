import libmime from 'libmime';
import {textByNode} from './encoded-words.js';

/**
 * The text of bytes in any character set of mail, UTF-7 and those of DOS among them; one that is not known is taken for
 * UTF-8. What this loads takes time, so it is for the worker threads.
 */
export function decodeCharset(bytes: Buffer, charset: string): string {
	return textByNode(bytes, charset) ?? libmime.decodeWord(charset, 'B', bytes.toString('base64'));
}
