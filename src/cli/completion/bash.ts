/** A line of bash up to the cursor. */
export type BashLine = {
	/** The last one is being typed; it may be empty. */
	readonly words: readonly string[];
	/** The quote that is open at the cursor. */
	readonly quote: '"' | "'" | '';
	/** How many characters of the last word readline treats as words of their own. */
	readonly settled: number;
};

/** It ends a word and begins the next: after it readline would complete host names. */
const hostMark = '@';

/** Splits a line into words as bash does, without evaluating anything. `breaks` are its COMP_WORDBREAKS. */
export function parseBashLine(line: string, breaks: string): BashLine {
	const words: string[] = [];
	let word: string | undefined;
	let quote: BashLine['quote'] = '';
	let settled = 0;
	const characters = line[Symbol.iterator]();
	for (const character of characters) {
		if (quote === "'") {
			word += character === quote ? '' : character;
			quote = character === quote ? '' : quote;
		} else if (character === '\\') {
			word = (word ?? '') + unescaped(characters.next().value ?? '', quote);
		} else if (character === quote) {
			quote = '';
		} else if (quote === '' && (character === '"' || character === "'")) {
			quote = character;
			word ??= '';
		} else if (quote === '' && /\s/.test(character)) {
			words.push(...(word === undefined ? [] : [word]));
			word = undefined;
			settled = 0;
		} else {
			word = (word ?? '') + character;
			settled = quote === '' && breaks.includes(character) ? word.length - Number(character === hostMark) : settled;
		}
	}

	return {words: [...words, word ?? ''], quote, settled};
}

/** What bash must insert in place of its current word to get a value; undefined when the open quote cannot hold it. */
export function bashReply(value: string, {quote, settled}: BashLine): string | undefined {
	const rest = value.slice(settled);
	switch (quote) {
		case "'":
			return rest.includes("'") ? undefined : rest;
		case '"':
			return rest.replace(/[\\"$`]/g, '\\$&');
		default:
			return rest.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
	}
}

function unescaped(character: string, quote: BashLine['quote']): string {
	const isPlain = quote === '' || (quote === '"' && /[\\"$`]/.test(character));
	return isPlain ? character : `\\${character}`;
}
