import {Unsent} from '../../domain/mail/sending.js';

/** Replaces tags, which are texts of any kind. */
export type Substitute = (text: string) => string;

/** How much is done for a request: characters that are put in the place of tags, and comparisons, each of which costs as much as some of them. */
const maxWork = 256 * 1024 * 1024;
const comparison = 8;

/** Throws where it is too much in all. */
type Spend = (work: number) => void;

/**
 * What SendGrid puts in the place of substitution tags: their values, in these of names of sections those, and once again
 * values, which sections may name. Throws `Unsent` where that is too much for all texts of the request.
 */
export function substituteWith(
	sections: Readonly<Record<string, string>> = {},
	most = maxWork,
): (substitutions?: Readonly<Record<string, string>>) => Substitute {
	let left = most;
	const spend = (work: number) => {
		left -= work;
		if (left < 0) {
			throw new Unsent({type: 'too_large', maxBytes: most});
		}
	};
	const blocks = replacer(sections, spend);
	return (substitutions = {}) => {
		const values = replacer(substitutions, spend);
		return text => values(blocks(values(text)));
	};
}

/** Of several tags at a place the longest counts. */
function replacer(replacements: Readonly<Record<string, string>>, spend: Spend): Substitute {
	const tags = Object.keys(replacements)
		.filter(tag => tag !== '')
		.sort((one, other) => (one < other ? -1 : 1));
	if (tags.length === 0) {
		return text => text;
	}

	const begins = new Uint8Array(0x1_00_00);
	for (const tag of tags) {
		begins[tag.charCodeAt(0)] = 1;
	}

	return text => {
		const pieces: string[] = [];
		let done = 0;
		for (let at = 0; at < text.length; ) {
			const tag = begins[text.charCodeAt(at)] === 1 ? longestAt(tags, text, at, spend) : undefined;
			if (tag === undefined) {
				at += 1;
			} else {
				const value = replacements[tag] ?? '';
				spend(value.length);
				pieces.push(text.slice(done, at), value);
				at += tag.length;
				done = at;
			}
		}

		return pieces.join('') + text.slice(done);
	};
}

/** The longest of sorted tags that stands there: each character leaves those that go on with it, which are side by side. */
function longestAt(tags: readonly string[], text: string, at: number, spend: Spend): string | undefined {
	let longest: string | undefined;
	let [low, high] = [0, tags.length];
	for (let length = 0; low < high; length++) {
		if (tags[low]?.length === length) {
			longest = tags[low];
			low += 1;
		}

		const code = text.charCodeAt(at + length);
		const codeOf = (index: number) => {
			spend(comparison);
			return tags[index]?.charCodeAt(length) ?? Number.NaN;
		};
		// Most go on alike, which the first and the last one tell.
		if (codeOf(low) !== code || codeOf(high - 1) !== code) {
			low = firstPlace(low, high, index => codeOf(index) >= code);
			high = firstPlace(low, high, index => codeOf(index) > code);
		}
	}

	return longest;
}

/** The first place for which it holds, when it holds for all behind it; the end where it holds for none. */
function firstPlace(from: number, to: number, holds: (index: number) => boolean): number {
	let [low, high] = [from, to];
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (holds(middle)) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}

	return low;
}
