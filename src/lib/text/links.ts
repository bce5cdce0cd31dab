import {readUrl} from './url.js';

/** Characters of a text or an HTML body in which codes and links are looked for. The rest is ignored, so that none takes long. */
export const maxInput = 512 * 1024;

/**
 * Addresses of http in a text, with what may stand around their end (`trimUrl`). They consist of ASCII, and letters as browsers
 * show them, but none of scripts that write the next word without a space.
 */
export const webAddresses =
	/https?:\/\/[!-;=?-~\p{M}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}]+/giu;

/** Characters of an address; longer ones are ignored. */
export const maxUrl = 8192;

/** The http addresses that stand in a text as they are, each with its place. */
export function* addressesIn(text: string): Generator<{readonly url: string; readonly index: number}> {
	for (const {0: match, index} of text.matchAll(webAddresses)) {
		const url = trimUrl(match.slice(0, maxUrl + 1));
		if (url.length <= maxUrl && readUrl(url)) {
			yield {url, index};
		}
	}
}

const openingOf: Readonly<Record<string, string>> = {')': '(', ']': '[', '}': '{'};

/** Cuts off what belongs to the sentence or to Markdown and not to the address: also an ending, as in "…/x'i". */
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

/** Whether the last character of an address is no part of it: punctuation, or a bracket that nothing opens. */
function isLoose(last: string, counts: ReadonlyMap<string, number>): boolean {
	const opening = openingOf[last];
	return opening === undefined ? /[.,;:!?'"*_|`]/.test(last) : (counts.get(last) ?? 0) > (counts.get(opening) ?? 0);
}

/** Where an image has an address elsewhere, also that of a style; and where all of them may have one. */
const remoteImage =
	/(?:\b(?:src|srcset|background|poster)\s*=\s*["']?|\burl\(\s*(?:["']|&quot;|&#39;)?)(?:https?:)?\/\/|<base\s/i;

/** Whether HTML has images from elsewhere. Longer HTML than can be looked through here counts as if it had some. */
export function hasRemoteImages(html: string): boolean {
	return html.length > maxInput || remoteImage.test(html);
}
