import type {CodeCandidate} from './code-candidates.js';
import {is, readPassage, type Word} from './code-names.js';
import {type CodeLabel, type CodePlace, lineAbove, reach, standsAlone} from './line-labels.js';
import {endOfSentences, sentenceEnd} from './sentences.js';
import type {Column} from './words/columns.js';

const points = {
	shopping: -4,
	cart: -6,
	parcel: -4,
	failure: -4,
	noAccess: -3,
	vague: -1,
	trip: -6,
	worded: -3,
};

/** What speaks against a confirmation code: it may be that of a booking. */
export function tripScore({shape}: CodeCandidate, {isVague}: CodeLabel, place: CodePlace, says: Says): number {
	const isOfTrip = isVague && shape !== 'digits';
	return isOfTrip && [place.subject, ...linesAround(place, 6)].some(text => says(text, ['trip'])) ? points.trip : 0;
}

/** What the words around a candidate say against it when its label could be that of something else. */
export function contextScore(candidate: CodeCandidate, label: CodeLabel, place: CodePlace, says: Says): number {
	const {shape, start, end} = candidate;
	const line = place.lines[place.index] ?? '';
	const before = line.slice(Math.max(0, start - reach), start);
	const alone = standsAlone(candidate, place);
	const near = alone ? linesAround(place, 2) : [before + line.slice(end, end + reach)];
	const isInShop = near.some(text => says(text, ['offer']));
	const isInCart = (alone ? [lineAbove(place.lines, place.index)] : near).some(text => says(text, ['cart']));
	const isCertain =
		(label.closeness === 'adjacent' && !label.isVague) ||
		(label.isAskedFor && !isInShop) ||
		(label.kind === 'password' && !label.isVague);
	const sentence = sentenceAround(candidate, line);
	const isForAccess = says(sentence, ['verify']);
	const isDeal = isPriceCut(sentence) || (alone && isPriceCut(lineAbove(place.lines, place.index)));
	const isAboutAccess = [place.subject, ...linesAround(place, 6)].some(text => says(text, ['verify', 'about']));
	return (
		(isInCart ? points.cart : (isDeal && !isForAccess) || (shape !== 'digits' && isInShop) ? points.shopping : 0) +
		(!isForAccess && says(sentence, ['parcel']) ? points.parcel : 0) +
		(shape === 'mixed' && isWorded(candidate.value) ? points.worded : 0) +
		(says(before.replace(/https?:\/\/[!-~]+/gi, ''), ['failure']) ? points.failure : 0) +
		(isCertain || isAboutAccess ? 0 : points.noAccess + (label.isVague ? points.vague : 0))
	);
}

/** The sentence of the candidate's line in which it stands. */
function sentenceAround({start, end}: CodeCandidate, line: string): string {
	const before = line.slice(Math.max(0, start - reach), start);
	const after = line.slice(end, end + reach);
	return before.slice(endOfSentences(before)) + after.slice(0, after.search(sentenceEnd) + 1 || undefined);
}

/** Whether it is said how much cheaper something gets: `10 %`. */
function isPriceCut(text: string): boolean {
	return /\d ?[%٪]|[%٪] ?\d/.test(text);
}

/** Whether it is a word and a number, as shops give away: `SPRING25`. */
function isWorded(value: string): boolean {
	return (
		/^(?=.*[AEIOUY])(?:(?![AEIOUY]{3}|[^AEIOUY]{4})[A-Z]){4,}\d[05]$/.test(value) ||
		/^(?=.*[AEIOUY])(?:(?![AEIOUY]{3}|[B-DF-HJ-NP-TV-XZ]{3})[A-Z])+(?:(?<=[A-Z]{4})\d{2,3}|(?<=[A-Z]{6})\d)$/.test(
			value,
		)
	);
}

function linesAround({lines, index}: CodePlace, distance: number): readonly string[] {
	const around = lines.slice(Math.max(0, index - distance), index + distance + 1);
	return around.map(line => line.slice(0, 2 * reach));
}

/** Whether a text has a word of one of the kinds. */
export type Says = (text: string, kinds: readonly Column[]) => boolean;

/** Reads each text once: candidates that stand together have most of their lines in common. */
export function createReader(): Says {
	const read = new Map<string, readonly Word[]>();
	return (text, kinds) => {
		const words = read.get(text) ?? readPassage(text).words;
		read.set(text, words);
		return words.some(word => kinds.some(kind => is(kind, word)));
	};
}
