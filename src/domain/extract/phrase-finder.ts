import {isUnspaced} from './words/phrases.js';

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

/** A phrase's beginning, with the characters that may follow. */
type Branch<Kind> = {
	readonly next: Map<string, Branch<Kind>>;
	readonly kinds: Set<Kind>;
	/** Whether the phrase may begin a longer word. */
	beforeLetters: boolean;
	isUnspaced: boolean;
};

const accents = /[\u0300-\u036f]/g;

/** Finds thousands of phrases in one pass. */
export class PhraseFinder<Kind> {
	readonly #phrases = createBranch<Kind>();
	/** Those of them that may stand in the middle of a word. */
	readonly #inWords = createBranch<Kind>();

	/** Adds a phrase; with a `~` where it may be part of a longer word. People type longer ones without accents, too. */
	add(kind: Kind, phrase: string): void {
		const text = foldSpelling(phrase.replaceAll('~', ''));
		const plain = text.normalize('NFD').replace(accents, '').normalize('NFC');
		const roots = isUnspaced(text) || phrase.startsWith('~') ? [this.#phrases, this.#inWords] : [this.#phrases];
		for (const written of plain.length > 3 ? new Set([text, plain]) : [text]) {
			for (const root of roots) {
				const branch = branchOf(root, written);
				branch.kinds.add(kind);
				branch.isUnspaced = isUnspaced(text);
				branch.beforeLetters ||= branch.isUnspaced || phrase.endsWith('~');
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
			const found = this.#longest(isInWord ? this.#inWords : this.#phrases, text, at, at);
			if (found) {
				all.push(found);
			}

			at = found?.end ?? at + 1;
		}

		return all;
	}

	#longest(branch: Branch<Kind>, text: string, start: number, at: number): Found<Kind> | undefined {
		const direct = branch.next.get(text.charAt(at));
		const spaced = text.charAt(at) === ' ' ? undefined : branch.next.get(' ');
		return longer(
			longer(
				direct && this.#longest(direct, text, start, at + 1),
				spaced && this.#longest(spaced, text, start, text.charAt(at) === '-' ? at + 1 : at),
			),
			branch.kinds.size > 0 ? foundAt(branch, text, start, at) : undefined,
		);
	}
}

function createBranch<Kind>(): Branch<Kind> {
	return {next: new Map(), kinds: new Set(), beforeLetters: false, isUnspaced: false};
}

function branchOf<Kind>(root: Branch<Kind>, text: string): Branch<Kind> {
	let branch = root;
	for (const character of text) {
		const next = branch.next.get(character) ?? createBranch<Kind>();
		branch.next.set(character, next);
		branch = next;
	}

	return branch;
}

function foundAt<Kind>(branch: Branch<Kind>, text: string, start: number, end: number): Found<Kind> {
	let wordEnd = end;
	while (!branch.isUnspaced && isWordCharacter(text, wordEnd - 1) && isWordCharacter(text, wordEnd)) {
		wordEnd += 1;
	}

	return {kinds: branch.kinds, start, end, wordEnd, isWhole: branch.beforeLetters || wordEnd === end};
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
	return /^[\0-\x7f]*$/.test(small)
		? small
		: small
				.normalize('NFD')
				.replace(/[\u0640\u064b-\u065f\u0670\u200c\u200d]|(?<=[\u0370-\u03ff]\p{M}*)\p{M}|(?<=i)\u0307/gu, '')
				.normalize('NFC')
				.replace(/[ςىیيکё]/g, letter => spellings[letter] ?? letter);
}

const spellings: Readonly<Record<string, string>> = {ς: 'σ', ى: 'ي', ی: 'ي', ک: 'ك', ё: 'е'};
