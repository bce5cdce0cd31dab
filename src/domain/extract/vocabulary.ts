import codeWords from './data/code-words.json' with {type: 'json'};

/**
 * Phrases separated by commas, on one or several lines. A leading `~` means that the phrase may end a longer word
 * (`Bestätigungs~code`), a trailing `~` that it may begin one (`kód~ot`).
 */
type Phrases = string | readonly string[];

/**
 * One row of `data/code-words.json`: the phrases that mail in one language uses around one-time codes and other numbers.
 * Columns in `stems` hold beginnings of words. Phrases of `thing` may also begin a word that ends in a code (`Kunden~code`).
 */
export type CodeWords = {
	/** Words for a code of any kind: "code". The words beside it decide which kind. */
	readonly code?: Phrases;
	/** Ambiguous words for a code ("key"), which count only beside a word of `verify`. */
	readonly key?: Phrases;
	/** Words for a password: digits after one are a code if the mail is about access. */
	readonly password?: Phrases;
	/** Words for a PIN: like `password`, except that postal codes are called so, too. Beside a word of `verify` it is a one-time code. */
	readonly pin?: Phrases;
	/** Names that only one-time codes have: "passcode". */
	readonly otp?: Phrases;
	/** Names that one-time codes share with bookings: "confirmation code". */
	readonly confirmation?: Phrases;
	/** Purposes of a one-time code: "verify", "log in". Beside a word of `code` they make it a one-time code. */
	readonly verify?: Phrases;
	/** Other words in mail with a one-time code: "expires". */
	readonly about?: Phrases;
	/** Words for a number. */
	readonly number?: Phrases;
	/** Things that have codes and numbers other than one-time codes: "order", "postal". */
	readonly thing?: Phrases;
	/** Like `thing`, in shops: "discount". */
	readonly offer?: Phrases;
	/** Places where shops ask for codes: "cart", "checkout". */
	readonly cart?: Phrases;
	/** Words about deliveries, which are tracked with a code. */
	readonly parcel?: Phrases;
	/** Words in postal addresses. */
	readonly address?: Phrases;
	/** Words about journeys and hotels, whose bookings have confirmation codes. */
	readonly trip?: Phrases;
	/** Like `thing`, in messages of programs: "error". */
	readonly failure?: Phrases;
	/** Things that are followed by a number and may also have one-time codes: "account", "phone". */
	readonly numbered?: Phrases;
	/** Names of other numbers and codes: "reference". */
	readonly ref?: Phrases;
	/** Verbs between a code and its name, on either side: "is", "as". */
	readonly is?: Phrases;
	/** Past events of a code: "was used". */
	readonly gone?: Phrases;
	/** Rejections of a code, after it: "is invalid". */
	readonly refused?: Phrases;
	/** Requests for a code: "enter". */
	readonly enter?: Phrases;
	/** References to a code that another sentence may name: "here it is", "below". */
	readonly here?: Phrases;
	/** Prepositions before the purpose of the code: "to", "for", "in". */
	readonly to?: Phrases;
	/** Prepositions between a code and the thing that has it: "of". */
	readonly of?: Phrases;
	/** Prepositions between the purpose of a code and the code: "with". */
	readonly with?: Phrases;
	/** Currencies before an amount. */
	readonly currency?: Phrases;
	/** Units after a quantity. */
	readonly unit?: Phrases;
};

/** Column of `CodeWords`: the kind of a word. */
export type WordKind = keyof CodeWords;

/** Columns whose phrases may always begin a longer word. */
const stems: ReadonlySet<string> = new Set<WordKind>(['verify', 'about', 'offer', 'cart', 'parcel', 'failure']);

/**
 * Returns a finder for the words of all languages. It does not detect the language first: many mails use two.
 */
export function createVocabulary(): PhraseFinder<WordKind> {
	const finder = new PhraseFinder<WordKind>();
	for (const row of Object.values<CodeWords>(codeWords)) {
		for (const [kind, phrases] of Object.entries(row) as Array<[WordKind, Phrases]>) {
			for (const phrase of splitPhrases(phrases)) {
				finder.add(kind, stems.has(kind) ? `${phrase}~` : phrase);
			}
		}
	}

	return finder;
}

/** Splits a cell of a data file into its phrases. */
export function splitPhrases(phrases: Phrases): readonly string[] {
	return [phrases]
		.flat()
		.join()
		.split(',')
		.map(phrase => phrase.trim())
		.filter(phrase => phrase !== '');
}

/** Occurrence of a phrase in a text. */
export type Occurrence<Kind> = {
	readonly kinds: ReadonlySet<Kind>;
	readonly start: number;
	readonly end: number;
	/** End of the word in which the phrase ends. */
	readonly wordEnd: number;
	/** False if the phrase is only the beginning of a longer, unknown word. */
	readonly isWhole: boolean;
};

/** Properties of a phrase, stored at its last character. */
type PhraseEnd<Kind> = {
	readonly kinds: ReadonlySet<Kind>;
	/** True if the phrase may begin a longer word. */
	readonly isStem: boolean;
	readonly isUnspaced: boolean;
};

const accents = /[\u0300-\u036f]/g;
const space = 0x20;
const hyphen = 0x2d;

/** Searches a text for thousands of phrases in one pass. */
export class PhraseFinder<Kind extends string> {
	readonly #phrases = new PhraseTrie<Kind>();
	/** Phrases that may also start in the middle of a word. */
	readonly #inWords = new PhraseTrie<Kind>();

	/**
	 * Adds a phrase; `~` marks the side on which a longer word may continue. Phrases of more than three letters are
	 * also found without their accents, as many people type them.
	 */
	add(kind: Kind, phrase: string): void {
		const text = foldSpelling(phrase.replaceAll('~', ''));
		const plain = isAscii(text) ? text : text.normalize('NFD').replace(accents, '').normalize('NFC');
		const tries = isUnspaced(text) || phrase.startsWith('~') ? [this.#phrases, this.#inWords] : [this.#phrases];
		for (const spelling of plain !== text && plain.length > 3 ? [text, plain] : [text]) {
			for (const trie of tries) {
				trie.add(spelling, kind, phrase.endsWith('~'));
			}
		}
	}

	/**
	 * Returns all phrases in a text that `foldSpelling` returned, from left to right, and the longest where several start.
	 * A space in a phrase also matches a hyphen or nothing: "sign in" finds `sign-in` and `signin`.
	 */
	find(text: string): readonly Occurrence<Kind>[] {
		const all: Array<Occurrence<Kind>> = [];
		for (let at = 0; at < text.length; ) {
			const isInWord = isWordCharacter(text, at) && isWordCharacter(text, at - 1);
			const occurrence = (isInWord ? this.#inWords : this.#phrases).longestAt(text, at);
			if (occurrence) {
				all.push(occurrence);
			}

			at = occurrence?.end ?? at + 1;
		}

		return all;
	}
}

/**
 * Trie of phrases. Its nodes are numbers that index arrays, because objects for tens of thousands of nodes would take ten times the
 * memory. Node 0 is the root.
 */
class PhraseTrie<Kind extends string> {
	/** Children of the root, which has too many for a list. */
	readonly #first = new Map<number, number>();
	/** Per node: its character, its first child and its next sibling. */
	readonly #units = [0];
	readonly #firstChild = [0];
	readonly #nextSibling = [0];
	readonly #ends: Array<PhraseEnd<Kind> | undefined> = [undefined];
	readonly #sharedEnds = new Map<string, PhraseEnd<Kind>>();

	add(phrase: string, kind: Kind, isStem: boolean): void {
		let node = 0;
		for (let at = 0; at < phrase.length; at++) {
			const unit = phrase.charCodeAt(at);
			node = this.#childOf(node, unit) || this.#grow(node, unit);
		}

		const before = this.#ends[node];
		this.#ends[node] = this.#share({
			kinds: new Set([...(before?.kinds ?? []), kind]),
			isStem: isStem || isUnspaced(phrase) || (before?.isStem ?? false),
			isUnspaced: isUnspaced(phrase),
		});
	}

	/** Returns the longest phrase that starts at `start`. */
	longestAt(text: string, start: number): Occurrence<Kind> | undefined {
		return this.#longest(0, text, start, start);
	}

	#longest(node: number, text: string, start: number, at: number): Occurrence<Kind> | undefined {
		const unit = text.charCodeAt(at);
		const direct = this.#childOf(node, unit);
		const spaced = unit === space ? 0 : this.#childOf(node, space);
		const end = this.#ends[node];
		return longer(
			longer(
				direct ? this.#longest(direct, text, start, at + 1) : undefined,
				spaced ? this.#longest(spaced, text, start, unit === hyphen ? at + 1 : at) : undefined,
			),
			end && occurrenceOf(end, text, start, at),
		);
	}

	/** Returns the child with this character; 0 if there is none. */
	#childOf(node: number, unit: number): number {
		if (node === 0) {
			return this.#first.get(unit) ?? 0;
		}

		let child = this.#firstChild[node] ?? 0;
		while (child !== 0 && this.#units[child] !== unit) {
			child = this.#nextSibling[child] ?? 0;
		}

		return child;
	}

	#grow(node: number, unit: number): number {
		const child = this.#units.push(unit) - 1;
		this.#firstChild.push(0);
		this.#nextSibling.push(this.#firstChild[node] ?? 0);
		this.#ends.push(undefined);
		if (node === 0) {
			this.#first.set(unit, child);
		} else {
			this.#firstChild[node] = child;
		}

		return child;
	}

	/** Returns one object for all equal ends: there are only a few different ones. */
	#share(end: PhraseEnd<Kind>): PhraseEnd<Kind> {
		const key = [...end.kinds, end.isStem, end.isUnspaced].join();
		const shared = this.#sharedEnds.get(key) ?? end;
		this.#sharedEnds.set(key, shared);
		return shared;
	}
}

function occurrenceOf<Kind>(
	{kinds, isStem, isUnspaced}: PhraseEnd<Kind>,
	text: string,
	start: number,
	end: number,
): Occurrence<Kind> {
	let wordEnd = end;
	while (!isUnspaced && isWordCharacter(text, wordEnd - 1) && isWordCharacter(text, wordEnd)) {
		wordEnd += 1;
	}

	return {kinds, start, end, wordEnd, isWhole: isStem || wordEnd === end};
}

/**
 * Returns the longer of two occurrences, but prefers a whole one. If both end in the same word, as a stem and a full word do, the
 * result has the kinds of both.
 */
function longer<Kind>(
	one: Occurrence<Kind> | undefined,
	other: Occurrence<Kind> | undefined,
): Occurrence<Kind> | undefined {
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

/** True if the phrase is in a script without spaces between words. */
export function isUnspaced(phrase: string): boolean {
	return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(
		phrase,
	);
}

const wordCharacter = /[\p{L}\p{M}\p{N}]/u;

/** True if the UTF-16 unit at `at` is part of a word; false for half a surrogate pair. */
export function isWordCharacter(text: string, at: number): boolean {
	const code = text.charCodeAt(at);
	return code < 128 ? (code >= 97 && code <= 122) || (code >= 48 && code <= 57) : wordCharacter.test(text.charAt(at));
}

/**
 * Lower-cases a text and unifies spellings that people and keyboards vary: typographic apostrophes, optional Arabic and Hebrew
 * marks, accents of Greek letters, `ς` and `σ`, Persian and Arabic letters, `ё` and `е`.
 */
export function foldSpelling(text: string): string {
	const lower = text.toLowerCase().replaceAll('’', "'").replaceAll('\u05be', '-');
	return isAscii(lower)
		? lower
		: lower
				.normalize('NFD')
				.replace(/[\u0640\u064b-\u065f\u0670\u200c\u200d]|(?<=[\u0370-\u03ff]\p{M}*)\p{M}|(?<=i)\u0307/gu, '')
				.normalize('NFC')
				.replace(/[ςىیيکё]/g, letter => spellings[letter] ?? letter);
}

function isAscii(text: string): boolean {
	return /^[\0-\x7f]*$/.test(text);
}

const spellings: Readonly<Record<string, string>> = {ς: 'σ', ى: 'ي', ی: 'ي', ک: 'ك', ё: 'е'};
