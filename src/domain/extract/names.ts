import {createVocabulary, type Found, foldSpelling, isWordCharacter} from './vocabulary.js';
import type {Column} from './words/columns.js';

/** A word or two that the vocabulary knows. */
export type Word = Found<Column>;

/**
 * A name in a text: of a one-time code alone, of any code, of another number, of a thing with a number, just "number",
 * "password", or "PIN".
 */
export type Name = {
	readonly kind: 'strong' | 'general' | 'other' | 'thing' | 'number' | 'password' | 'pin';
	readonly start: number;
	readonly end: number;
	/** Whether it has an unknown part, as in "Foocode", so that it may be the name of something else. */
	readonly isVague: boolean;
};

/** A piece of a mail, in small letters, with what the vocabulary knows of it. */
export type Passage = {
	readonly text: string;
	readonly words: readonly Word[];
	readonly names: readonly Name[];
};

const vocabulary = createVocabulary();

export function readPassage(piece: string): Passage {
	const text = foldSpelling(piece);
	const words = vocabulary.find(text);
	return {text, words, names: words.flatMap((word, index) => nameOf(word, text, words, index) ?? [])};
}

/** Whether the word is of the kind. */
export function is(kind: Column, {kinds, isWhole}: Word): boolean {
	return isWhole && kinds.has(kind);
}

function nameOf(word: Word, text: string, words: readonly Word[], index: number): Name | undefined {
	const {start, wordEnd} = word;
	const isInWord =
		isWordCharacter(text, start - 1) && /[\p{Script=Latin}\p{Script=Cyrillic}]/u.test(text.charAt(start));
	const named = (kind: Name['kind'], end = wordEnd, isVague = false) => ({kind, start, end, isVague});
	if (is('pin', word)) {
		// Few call a one-time code a "PIN code".
		const kind = text.slice(start, wordEnd) === 'pin' ? 'strong' : 'pin';
		return isInAddress(text, words, start) ? named('other') : named(kind, wordEnd, kind === 'pin');
	}

	if (is('otp', word) || is('confirmation', word)) {
		return named('strong', wordEnd, is('confirmation', word));
	}

	if (is('ref', word)) {
		return named('other');
	}

	if (is('code', word)) {
		const qualifier = qualifierBeside(text, words, index);
		return named(qualifier?.kind ?? 'general', qualifier?.end, !qualifier && isInWord);
	}

	if (is('key', word)) {
		const qualifier = qualifierBeside(text, words, index);
		return qualifier?.kind === 'strong' ? named('strong', qualifier.end) : undefined;
	}

	if (is('password', word)) {
		return named(qualifierBeside(text, words, index)?.kind === 'other' ? 'other' : 'password');
	}

	if (is('number', word)) {
		return named(isInWord || qualifierBeside(text, words, index)?.kind === 'other' ? 'other' : 'number');
	}

	return is('numbered', word) || (word.isWhole && qualityOf(word) === 'other') ? named('thing') : undefined;
}

/** Whether it is the number of a post office, as the PIN codes of India are. */
function isInAddress(text: string, words: readonly Word[], start: number): boolean {
	return /(?:,| -) *$/.test(text.slice(0, start)) || words.some(word => is('address', word));
}

/** What kind of code or number the words beside it say it is. `end` is where name and words end. */
type Qualifier = {readonly kind: 'strong' | 'other'; readonly end: number};

/** The words before decide, else those after. */
function qualifierBeside(text: string, words: readonly Word[], index: number): Qualifier | undefined {
	const [before, word, ...after] = [words[index - 1], ...words.slice(index, index + 4)];
	if (!word) {
		return undefined;
	}

	const kind = before && isBeside(before, text.slice(before.end, word.start)) ? qualityOf(before) : undefined;
	return kind ? {kind, end: word.wordEnd} : qualifierAfter(text, word.wordEnd, after);
}

/** Whether nothing is between a word and the next: they are one word, or two. */
function isBeside({isWhole}: Word, gap: string): boolean {
	return isWhole ? /^[\p{L}\p{M}]*(?: ?:)?[ -]?$/u.test(gap) : /^[\p{L}\p{M}]*$/u.test(gap);
}

function qualifierAfter(text: string, start: number, words: readonly Word[]): Qualifier | undefined {
	let end = start;
	for (const next of words) {
		if (!next.isWhole || !/^[ -]?$/.test(text.slice(end, next.start))) {
			return undefined;
		}

		const kind = qualityOf(next);
		if (kind || !is('of', next)) {
			return kind && {kind, end: next.wordEnd};
		}

		end = next.wordEnd;
	}

	return undefined;
}

/** Whether the words behind a code say that it is one of something else: "482913 of your order". */
export function isOfOther({text, words}: Passage): boolean {
	return qualifierAfter(text, 0, words)?.kind === 'other';
}

/** What the word makes of a code beside it. */
function qualityOf({kinds}: Word): 'strong' | 'other' | undefined {
	return kinds.has('verify') || kinds.has('otp')
		? 'strong'
		: kinds.has('thing') || kinds.has('ref') || kinds.has('offer') || kinds.has('cart') || kinds.has('failure')
			? 'other'
			: undefined;
}

/** Whether the passage has a word of the kind. */
export function has(kind: Column, {words}: Passage): boolean {
	return words.some(word => is(kind, word));
}

/** The word with which the passage ends, if it is of the kind. */
export function lastWord({text, words}: Passage, kind: Column): Word | undefined {
	const word = words.at(-1);
	return word && is(kind, word) && hasNoWords(text.slice(word.wordEnd)) ? word : undefined;
}

/** The word with which the passage begins, if it is of the kind. */
export function firstWord({text, words}: Passage, kind: Column): Word | undefined {
	const [word] = words;
	return word && is(kind, word) && hasNoWords(text.slice(0, word.start)) ? word : undefined;
}

/** Whether there is neither letter nor digit. */
export function hasNoWords(text: string): boolean {
	return !/[\p{L}\p{N}]/u.test(text);
}
