import {type Found, foldSpelling, isWordCharacter} from './phrase-finder.js';
import type {Column} from './words/columns.js';
import {createVocabulary} from './words/vocabulary.js';

/** A word or two that the vocabulary knows. */
export type Word = Found<Column>;

/** A name in a text: of a one-time code alone, of any code, of another number, or of a thing that may have a number. */
export type Name = {
	readonly kind: 'strong' | 'general' | 'other' | 'thing';
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
	const {start, wordEnd: end} = word;
	const isInWord =
		isWordCharacter(text, start - 1) && /[\p{Script=Latin}\p{Script=Cyrillic}]/u.test(text.charAt(start));
	const named = (kind: Name['kind'], isVague = false) => ({kind, start, end, isVague});
	if (is('otp', word)) {
		return named('strong');
	}

	if (is('ref', word)) {
		return named('other');
	}

	if (is('code', word)) {
		const kind = kindBeside(text, words, index);
		return named(kind ?? 'general', !kind && isInWord);
	}

	if (is('number', word)) {
		const isOther = kindBeside(text, words, index) === 'other' || isInWord;
		return named(isOther ? 'other' : 'thing');
	}

	return is('numbered', word) || (word.isWhole && kindOf(word) === 'other') ? named('thing') : undefined;
}

/** What kind of code or number the words beside it make it: those before, then those after. */
function kindBeside(text: string, words: readonly Word[], index: number): 'strong' | 'other' | undefined {
	const [before, word, ...after] = [words[index - 1], ...words.slice(index, index + 4)];
	const kind = before && word && isBeside(before, text.slice(before.end, word.start)) ? kindOf(before) : undefined;
	return kind ?? (word && kindAfter(text, word, after));
}

/** Whether nothing is between a word and the next: they are one word, or two. */
function isBeside({isWhole}: Word, gap: string): boolean {
	return isWhole ? /^[\p{L}\p{M}]*[ -]?$/u.test(gap) : /^[\p{L}\p{M}]*$/u.test(gap);
}

function kindAfter(text: string, word: Word, words: readonly Word[]): 'strong' | 'other' | undefined {
	let last = word;
	for (const next of words) {
		if (!next.isWhole || !/^[ -]?$/.test(text.slice(last.wordEnd, next.start))) {
			return undefined;
		}

		const kind = kindOf(next);
		if (kind || !is('of', next)) {
			return kind;
		}

		last = next;
	}

	return undefined;
}

/** What the word makes of a code beside it. */
function kindOf({kinds}: Word): 'strong' | 'other' | undefined {
	return kinds.has('verify')
		? 'strong'
		: kinds.has('thing') || kinds.has('ref') || kinds.has('offer') || kinds.has('failure')
			? 'other'
			: undefined;
}
