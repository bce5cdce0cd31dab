import {maxInput} from '../../lib/html.js';
import {readUrl} from '../../lib/read-url.js';

/**
 * What an address consists of: ASCII, and letters as browsers show them, but none of scripts that write the next word
 * without a space.
 */
const address =
	/https?:\/\/[!-;=?-~\p{M}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}]+/giu;

/** Characters of an address; longer ones are ignored. */
export const maxUrl = 8192;

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
	for (const {0: match, index} of unwrapped.matchAll(address)) {
		const lines = unwrapped.slice(end, index).split(/\r\n|\r|\n/);
		// What follows on a link in its line says nothing of links on other lines.
		const before = end > 0 && lines.length > 1 ? lines.slice(1) : lines;
		const introduction = before.findLast(line => wordsOf(line) !== '') ?? '';
		links.push({url: trimUrl(match.slice(0, maxUrl + 1)), text: wordsOf(introduction)});
		end = index + match.length;
	}

	return links;
}

/** The http addresses that stand in a text as they are, each with its place. */
export function* addressesIn(text: string): Generator<{readonly url: string; readonly index: number}> {
	for (const {0: match, index} of text.matchAll(address)) {
		const url = trimUrl(match.slice(0, maxUrl + 1));
		if (url.length <= maxUrl && readUrl(url)) {
			yield {url, index};
		}
	}
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

const openingOf: Readonly<Record<string, string>> = {')': '(', ']': '[', '}': '{'};

/** Cuts off what belongs to the sentence or to Markdown and not to the address: also an ending, as in "…/x'i". */
function trimUrl(match: string): string {
	const [url = ''] = match.split('](', 1);
	const counts = new Map<string, number>();
	for (const character of url) {
		counts.set(character, (counts.get(character) ?? 0) + 1);
	}

	let end = url.length - (/'\p{L}{1,4}$/u.exec(url)?.[0].length ?? 0);
	for (let last = url[end - 1] ?? ''; isLoose(last, counts); last = url[end - 1] ?? '') {
		counts.set(last, (counts.get(last) ?? 0) - 1);
		end -= 1;
	}

	return url.slice(0, end);
}

/** Whether the last character of an address is no part of it: punctuation, or a bracket that nothing opens. */
function isLoose(last: string, counts: ReadonlyMap<string, number>): boolean {
	const opening = openingOf[last];
	return opening === undefined ? /[.,;:!?'"*_|`]/.test(last) : (counts.get(last) ?? 0) > (counts.get(opening) ?? 0);
}
