import {type Found, foldSpelling, isWordCharacter} from './phrase-finder.js';
import type {Column} from './words/columns.js';
import {createVocabulary} from './words/vocabulary.js';

/** A word or two that the vocabulary knows. */
export type Word = Found<Column>;

/** A name in a text: of a one-time code alone, of any code, of another number, of a thing with a number, or just "number". */
export type Name = {
	readonly kind: 'strong' | 'general' | 'other' | 'thing' | 'number';
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
	if (is('otp', word)) {
		return named('strong');
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

	if (is('number', word)) {
		return named(isInWord || qualifierBeside(text, words, index)?.kind === 'other' ? 'other' : 'number');
	}

	return is('numbered', word) || (word.isWhole && qualityOf(word) === 'other') ? named('thing') : undefined;
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
	return kind ? {kind, end: word.wordEnd} : qualifierAfter(text, word, after);
}

/** Whether nothing is between a word and the next: they are one word, or two. */
function isBeside({isWhole}: Word, gap: string): boolean {
	return isWhole ? /^[\p{L}\p{M}]*(?: ?:)?[ -]?$/u.test(gap) : /^[\p{L}\p{M}]*$/u.test(gap);
}

function qualifierAfter(text: string, word: Word, words: readonly Word[]): Qualifier | undefined {
	let last = word;
	for (const next of words) {
		if (!next.isWhole || !/^[ -]?$/.test(text.slice(last.wordEnd, next.start))) {
			return undefined;
		}

		const kind = qualityOf(next);
		if (kind || !is('of', next)) {
			return kind && {kind, end: next.wordEnd};
		}

		last = next;
	}

	return undefined;
}

/** What the word makes of a code beside it. */
function qualityOf({kinds}: Word): 'strong' | 'other' | undefined {
	return kinds.has('verify')
		? 'strong'
		: kinds.has('thing') || kinds.has('ref') || kinds.has('offer') || kinds.has('failure')
			? 'other'
			: undefined;
}
