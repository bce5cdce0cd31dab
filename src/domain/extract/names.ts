import {createVocabulary, foldSpelling, isWordCharacter, type Occurrence, type WordKind} from './vocabulary.js';

/** A word or phrase of the vocabulary in a passage. */
export type Word = Occurrence<WordKind>;

/**
 * A name of codes or numbers in a passage. Kinds:
 * - `strong`: only of one-time codes ("verification code", "passcode"),
 * - `general`: of any code ("code"),
 * - `other`: of another code or number ("order number", "ZIP code"),
 * - `thing`: something that has a number ("invoice"),
 * - `number`, `password`, `pin`: the bare words.
 */
export type Name = {
	readonly kind: 'strong' | 'general' | 'other' | 'thing' | 'number' | 'password' | 'pin';
	readonly start: number;
	readonly end: number;
	/** True if the name may stand for something else: it has an unknown part ("Foocode"), or bookings use it, too. */
	readonly isVague: boolean;
};

/** Lower-case piece of a mail with the words and names in it. */
export type Passage = {
	readonly text: string;
	readonly words: readonly Word[];
	readonly names: readonly Name[];
};

const vocabulary = createVocabulary();

/** Finds the words and names in a piece of a mail. */
export function readPassage(piece: string): Passage {
	const text = foldSpelling(piece);
	const words = vocabulary.find(text);
	return {text, words, names: words.flatMap((word, index) => nameOf(word, text, words, index) ?? [])};
}

/** True if the word is of the kind, and whole. */
export function isKind({kinds, isWhole}: Word, kind: WordKind): boolean {
	return isWhole && kinds.has(kind);
}

function nameOf(word: Word, text: string, words: readonly Word[], index: number): Name | undefined {
	const {start, wordEnd} = word;
	const isInWord =
		isWordCharacter(text, start - 1) && /[\p{Script=Latin}\p{Script=Cyrillic}]/u.test(text.charAt(start));
	const named = (kind: Name['kind'], end = wordEnd, isVague = false) => ({kind, start, end, isVague});
	if (isKind(word, 'pin')) {
		// A bare "PIN" is usually a one-time code, a "PIN code" rarely.
		const kind = text.slice(start, wordEnd) === 'pin' ? 'strong' : 'pin';
		return isInAddress(text, words, start) ? named('other') : named(kind, wordEnd, kind === 'pin');
	}

	if (isKind(word, 'otp') || isKind(word, 'confirmation')) {
		return named('strong', wordEnd, isKind(word, 'confirmation'));
	}

	if (isKind(word, 'ref')) {
		return named('other');
	}

	if (isKind(word, 'code')) {
		const qualifier = qualifierBeside(text, words, index);
		return named(qualifier?.kind ?? 'general', qualifier?.end, !qualifier && isInWord);
	}

	if (isKind(word, 'key')) {
		const qualifier = qualifierBeside(text, words, index);
		return qualifier?.kind === 'strong' ? named('strong', qualifier.end) : undefined;
	}

	if (isKind(word, 'password')) {
		return named(qualifierBeside(text, words, index)?.kind === 'other' ? 'other' : 'password');
	}

	if (isKind(word, 'number')) {
		return named(isInWord || qualifierBeside(text, words, index)?.kind === 'other' ? 'other' : 'number');
	}

	return isKind(word, 'numbered') || (word.isWhole && qualifierKind(word) === 'other') ? named('thing') : undefined;
}

/** True if "PIN" is a postal code of India, as in "Bengaluru, Karnataka, PIN 560001". */
function isInAddress(text: string, words: readonly Word[], start: number): boolean {
	return /(?:,| -) *$/.test(text.slice(0, start)) || words.some(word => isKind(word, 'address'));
}

/** Kind of a code or number by the words beside it. `end` is the end of the name including these words. */
type Qualifier = {readonly kind: 'strong' | 'other'; readonly end: number};

/** Returns the qualifier before a word ("order code"), otherwise the one after it ("code of your order"). */
function qualifierBeside(text: string, words: readonly Word[], index: number): Qualifier | undefined {
	const [before, word, ...after] = [words[index - 1], ...words.slice(index, index + 4)];
	if (!word) {
		return undefined;
	}

	const kind = before && isBeside(before, text.slice(before.end, word.start)) ? qualifierKind(before) : undefined;
	return kind ? {kind, end: word.wordEnd} : qualifierAfter(text, word.wordEnd, after);
}

/** True if two words follow each other, or are parts of one word. `gap` is the text between them. */
function isBeside({isWhole}: Word, gap: string): boolean {
	return isWhole ? /^[\p{L}\p{M}]*(?: ?:)?[ -]?$/u.test(gap) : /^[\p{L}\p{M}]*$/u.test(gap);
}

function qualifierAfter(text: string, start: number, words: readonly Word[]): Qualifier | undefined {
	let end = start;
	for (const next of words) {
		if (!next.isWhole || !/^[ -]?$/.test(text.slice(end, next.start))) {
			return undefined;
		}

		const kind = qualifierKind(next);
		if (kind || !isKind(next, 'of')) {
			return kind && {kind, end: next.wordEnd};
		}

		end = next.wordEnd;
	}

	return undefined;
}

/** True if the passage after a code says that it belongs to something else: "482913 of your order". */
export function belongsToOther({text, words}: Passage): boolean {
	return qualifierAfter(text, 0, words)?.kind === 'other';
}

/** Returns the kind that a word gives to a code beside it. */
function qualifierKind({kinds}: Word): 'strong' | 'other' | undefined {
	return kinds.has('verify') || kinds.has('otp')
		? 'strong'
		: kinds.has('thing') || kinds.has('ref') || kinds.has('offer') || kinds.has('cart') || kinds.has('failure')
			? 'other'
			: undefined;
}

/** True if the passage has a word of the kind. */
export function hasWord({words}: Passage, kind: WordKind): boolean {
	return words.some(word => isKind(word, kind));
}

/** Returns the word at the end of the passage if it is of the kind. */
export function lastWord({text, words}: Passage, kind: WordKind): Word | undefined {
	const word = words.at(-1);
	return word && isKind(word, kind) && hasNoWords(text.slice(word.wordEnd)) ? word : undefined;
}

/** Returns the word at the start of the passage if it is of the kind. */
export function firstWord({text, words}: Passage, kind: WordKind): Word | undefined {
	const [word] = words;
	return word && isKind(word, kind) && hasNoWords(text.slice(0, word.start)) ? word : undefined;
}

/** True if the text has neither letters nor digits. */
export function hasNoWords(text: string): boolean {
	return !/[\p{L}\p{N}]/u.test(text);
}
