import {readUrl} from './url.js';

/** Characters of a text or HTML body in which codes and links are searched. The rest is ignored to bound the time. */
export const maxScannedLength = 512 * 1024;

/**
 * Matches http addresses in a text, including punctuation at their end (see `trimUrl`). They consist of ASCII and letters as
 * browsers display them, except scripts that write the next word without a space.
 */
export const webAddresses =
	/https?:\/\/[!-;=?-~\p{M}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}]+/giu;

/** Maximum length of an address; longer ones are ignored. */
export const maxUrl = 8192;

/** Http addresses in a text with their positions. */
export function* addressesIn(text: string): Generator<{readonly url: string; readonly index: number}> {
	for (const {0: match, index} of text.matchAll(webAddresses)) {
		const url = trimUrl(match.slice(0, maxUrl + 1));
		if (url.length <= maxUrl && readUrl(url)) {
			yield {url, index};
		}
	}
}

const openingOf: Readonly<Record<string, string>> = {')': '(', ']': '[', '}': '{'};

/** Removes the trailing characters that belong to the sentence or to Markdown, also an ending as in "…/x'i". */
export function trimUrl(match: string): string {
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

/** True if the last character is not part of the address: punctuation, or a closing bracket without an opening one. */
function isLoose(last: string, counts: ReadonlyMap<string, number>): boolean {
	const opening = openingOf[last];
	return opening === undefined ? /[.,;:!?'"*_|`]/.test(last) : (counts.get(last) ?? 0) > (counts.get(opening) ?? 0);
}

/** Matches attributes and styles that load a remote image, and elements that change the base address. */
const remoteImage =
	/(?:\b(?:src|srcset|background|poster)\s*=\s*["']?|\burl\(\s*(?:["']|&quot;|&#39;)?)(?:https?:)?\/\/|<base\s/i;

/** True if HTML loads remote images. HTML that is too long to be examined counts as if it did. */
export function hasRemoteImages(html: string): boolean {
	return html.length > maxScannedLength || remoteImage.test(html);
}
