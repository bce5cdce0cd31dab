import {maxInput} from '../../lib/max-input.js';
import {maxUrl, trimUrl, webAddresses} from '../../lib/web-addresses.js';

/** An address in plain text with the words that introduce it: those before it on its line, else the line above. */
type TextLink = {readonly url: string; readonly text: string};

/**
 * Finds http addresses in the first 512 KiB of a plain text: bare, in angle brackets (also wrapped, RFC 3986,
 * appendix C) and in Markdown.
 */
export function findTextLinks(text: string): readonly TextLink[] {
	const links: TextLink[] = [];
	const unwrapped = unwrap(text.slice(0, maxInput));
	let end = 0;
	for (const {0: match, index} of unwrapped.matchAll(webAddresses)) {
		const lines = unwrapped.slice(end, index).split(/\r\n|\r|\n/);
		// What follows on a link in its line says nothing of links on other lines.
		const before = end > 0 && lines.length > 1 ? lines.slice(1) : lines;
		const introduction = before.findLast(line => wordsOf(line) !== '') ?? '';
		links.push({url: trimUrl(match.slice(0, maxUrl + 1)), text: wordsOf(introduction)});
		end = index + match.length;
	}

	return links;
}

/** Undoes the wrapping of long addresses in angle brackets. */
function unwrap(text: string): string {
	return text.replace(/<(https?:\/\/[^<>"]{1,8192})>/gi, (_, url: string) => `<${url.replace(/\s+/g, '')}>`);
}

/** The words at the end of a line. */
function wordsOf(line: string): string {
	return line
		.slice(-200)
		.replace(/\s+/g, ' ')
		.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}?!]+$/gu, '')
		.trim();
}
