import type {Column, Words} from './words/columns.js';
import {eastern} from './words/eastern.js';
import {european} from './words/european.js';
import {further} from './words/further.js';
import {germanic} from './words/germanic.js';
import {indic} from './words/indic.js';
import {nordic} from './words/nordic.js';
import {isUnspaced} from './words/phrases.js';
import {romance} from './words/romance.js';
import {slavic} from './words/slavic.js';
import {southSlavic} from './words/south-slavic.js';
import {southern} from './words/southern.js';
import {turkic} from './words/turkic.js';

/** The words of each language, by its ISO 639 code. */
export const languages: Readonly<Record<string, Words>> = {
	...germanic,
	...nordic,
	...romance,
	...slavic,
	...southSlavic,
	...european,
	...turkic,
	...eastern,
	...southern,
	...indic,
	...further,
};

/** Columns whose phrases may begin a longer word. */
const stems: ReadonlySet<string> = new Set<Column>(['verify', 'about', 'offer', 'cart', 'parcel', 'failure']);

/** Finds the words of all languages at once: many mails have two, and few say which. */
export function createVocabulary(): PhraseFinder<Column> {
	const finder = new PhraseFinder<Column>();
	for (const words of Object.values(languages)) {
		for (const [column, list] of Object.entries(words) as Array<[Column, string]>) {
			for (const phrase of list.split(/[,\n]/).map(text => text.trim())) {
				finder.add(column, stems.has(column) ? `${phrase}~` : phrase);
			}
		}
	}

	return finder;
}

/** Where a phrase stands in a text. */
export type Found<Kind> = {
	readonly kinds: ReadonlySet<Kind>;
	readonly start: number;
	readonly end: number;
	/** Where the word ends in which the phrase does. */
	readonly wordEnd: number;
	/** Whether the phrase may end there; otherwise it is only the beginning of a word that it does not know. */
	readonly isWhole: boolean;
};

/** What a phrase is, where it ends. */
type Ending<Kind> = {
	readonly kinds: ReadonlySet<Kind>;
	/** Whether the phrase may begin a longer word. */
	readonly beforeLetters: boolean;
	readonly isUnspaced: boolean;
};

const accents = /[\u0300-\u036f]/g;
const space = 0x20;
const hyphen = 0x2d;

/** Finds thousands of phrases in one pass. */
export class PhraseFinder<Kind extends string> {
	readonly #phrases = new Beginnings<Kind>();
	/** Those of them that may stand in the middle of a word. */
	readonly #inWords = new Beginnings<Kind>();

	/** Adds a phrase; with a `~` where it may be part of a longer word. People type longer ones without accents, too. */
	add(kind: Kind, phrase: string): void {
		const text = foldSpelling(phrase.replaceAll('~', ''));
		const plain = isAscii(text) ? text : text.normalize('NFD').replace(accents, '').normalize('NFC');
		const all = isUnspaced(text) || phrase.startsWith('~') ? [this.#phrases, this.#inWords] : [this.#phrases];
		for (const written of plain !== text && plain.length > 3 ? [text, plain] : [text]) {
			for (const beginnings of all) {
				beginnings.add(written, kind, phrase.endsWith('~'));
			}
		}
	}

	/**
	 * All phrases in a folded text, from left to right; of those that begin together the longest. The spaces of a phrase
	 * may be hyphens or missing.
	 */
	find(text: string): readonly Found<Kind>[] {
		const all: Array<Found<Kind>> = [];
		for (let at = 0; at < text.length; ) {
			const isInWord = isWordCharacter(text, at) && isWordCharacter(text, at - 1);
			const found = (isInWord ? this.#inWords : this.#phrases).longestAt(text, at);
			if (found) {
				all.push(found);
			}

			at = found?.end ?? at + 1;
		}

		return all;
	}
}

/**
 * The beginnings of phrases, each with the characters that may follow. They are numbers, since there are tens of thousands,
 * and an object for each would take ten times the memory; 0 is that of all.
 */
class Beginnings<Kind extends string> {
	readonly #first = new Map<number, number>();
	/** Of each, its last character, the first of those that go on, and another one that has the same beginning. */
	readonly #units = [0];
	readonly #longer = [0];
	readonly #others = [0];
	readonly #endings: Array<Ending<Kind> | undefined> = [undefined];
	readonly #shared = new Map<string, Ending<Kind>>();

	add(phrase: string, kind: Kind, beforeLetters: boolean): void {
		let beginning = 0;
		for (let at = 0; at < phrase.length; at++) {
			const unit = phrase.charCodeAt(at);
			beginning = this.#next(beginning, unit) || this.#grow(beginning, unit);
		}

		const before = this.#endings[beginning];
		this.#endings[beginning] = this.#share({
			kinds: new Set([...(before?.kinds ?? []), kind]),
			beforeLetters: beforeLetters || isUnspaced(phrase) || (before?.beforeLetters ?? false),
			isUnspaced: isUnspaced(phrase),
		});
	}

	/** The longest phrase that begins there. */
	longestAt(text: string, start: number): Found<Kind> | undefined {
		return this.#longest(0, text, start, start);
	}

	#longest(beginning: number, text: string, start: number, at: number): Found<Kind> | undefined {
		const unit = text.charCodeAt(at);
		const direct = this.#next(beginning, unit);
		const spaced = unit === space ? 0 : this.#next(beginning, space);
		const ending = this.#endings[beginning];
		return longer(
			longer(
				direct ? this.#longest(direct, text, start, at + 1) : undefined,
				spaced ? this.#longest(spaced, text, start, unit === hyphen ? at + 1 : at) : undefined,
			),
			ending && foundAt(ending, text, start, at),
		);
	}

	/** 0 when no phrase goes on like that. */
	#next(beginning: number, unit: number): number {
		if (beginning === 0) {
			return this.#first.get(unit) ?? 0;
		}

		let next = this.#longer[beginning] ?? 0;
		while (next !== 0 && this.#units[next] !== unit) {
			next = this.#others[next] ?? 0;
		}

		return next;
	}

	#grow(beginning: number, unit: number): number {
		const next = this.#units.push(unit) - 1;
		this.#longer.push(0);
		this.#others.push(this.#longer[beginning] ?? 0);
		this.#endings.push(undefined);
		if (beginning === 0) {
			this.#first.set(unit, next);
		} else {
			this.#longer[beginning] = next;
		}

		return next;
	}

	/** Few of them differ. */
	#share(ending: Ending<Kind>): Ending<Kind> {
		const key = [...ending.kinds, ending.beforeLetters, ending.isUnspaced].join();
		const shared = this.#shared.get(key) ?? ending;
		this.#shared.set(key, shared);
		return shared;
	}
}

function foundAt<Kind>(
	{kinds, beforeLetters, isUnspaced}: Ending<Kind>,
	text: string,
	start: number,
	end: number,
): Found<Kind> {
	let wordEnd = end;
	while (!isUnspaced && isWordCharacter(text, wordEnd - 1) && isWordCharacter(text, wordEnd)) {
		wordEnd += 1;
	}

	return {kinds, start, end, wordEnd, isWhole: beforeLetters || wordEnd === end};
}

/** The longer of two, but rather a whole one; both are it when they end in the same word, as stems and words do. */
function longer<Kind>(one: Found<Kind> | undefined, other: Found<Kind> | undefined): Found<Kind> | undefined {
	if (!one || !other) {
		return one ?? other;
	}

	if (one.isWhole !== other.isWhole) {
		return one.isWhole ? one : other;
	}

	const longest = other.end > one.end ? other : one;
	return one.isWhole && one.wordEnd === other.wordEnd
		? {...longest, kinds: new Set([...one.kinds, ...other.kinds])}
		: longest;
}

const wordCharacter = /[\p{L}\p{M}\p{N}]/u;

/** Whether a character is part of a word, of half a surrogate pair it is not. */
export function isWordCharacter(text: string, at: number): boolean {
	const code = text.charCodeAt(at);
	return code < 128 ? (code >= 97 && code <= 122) || (code >= 48 && code <= 57) : wordCharacter.test(text.charAt(at));
}

/** The text in small letters, each written in one way where people and keyboards write several. */
export function foldSpelling(text: string): string {
	const small = text.toLowerCase().replaceAll('’', "'").replaceAll('\u05be', '-');
	return isAscii(small)
		? small
		: small
				.normalize('NFD')
				.replace(/[\u0640\u064b-\u065f\u0670\u200c\u200d]|(?<=[\u0370-\u03ff]\p{M}*)\p{M}|(?<=i)\u0307/gu, '')
				.normalize('NFC')
				.replace(/[ςىیيکё]/g, letter => spellings[letter] ?? letter);
}

function isAscii(text: string): boolean {
	return /^[\0-\x7f]*$/.test(text);
}

const spellings: Readonly<Record<string, string>> = {ς: 'σ', ى: 'ي', ی: 'ي', ک: 'ك', ё: 'е'};
