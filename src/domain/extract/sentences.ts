/** The end of a sentence: before a small letter it is that of an abbreviation. */
export const sentenceEnd = /[.!?؟](?:\s+(?!\p{Ll})|$)|[。！？।։]/gu;

/** Nothing but marks behind a colon. */
export const endsInColon = /:[^\p{L}\p{N}]*$/u;

/** Whether the line does not go on in the next. */
export function endsClosed(line: string): boolean {
	return /(?:^|[^\p{L}\p{M}\p{N}\s])$/u.test(line);
}

/** Whether what is between gap and rest belongs to a quoted title: `Your code to open "Offer 48213":`. */
export function isInTitle(gap: string, rest: string): boolean {
	const open = gap.replace(/["“„«][^"“„”«»]*["”“»]/g, '');
	return (
		(/^[^"”“»]*["”“»]/.test(rest) && /["“„«][^"“„«\p{L}\p{N}]*[\p{L}\p{N}]/u.test(open)) ||
		(/^['’](?![\p{L}\p{N}])/u.test(rest) && /(?<![\p{L}\p{N}])['‘’]\p{L}[^'‘’]*$/u.test(gap))
	);
}

/** Where the sentence begins that the text does not end. */
export function endOfSentences(text: string): number {
	const last = [...text.matchAll(sentenceEnd)].at(-1);
	return last ? last.index + last[0].length : 0;
}
