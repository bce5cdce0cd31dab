/** What stands before the cursor on a line of bash. */
export type BashLine = {
	/** The last one is being typed; it may be empty. */
	readonly words: readonly string[];
	/** Open around the cursor. */
	readonly quote: '"' | "'" | '';
	/** As much of the last word as readline takes for words of their own. */
	readonly settled: number;
};

/** It ends a word and begins the next: behind it readline would complete names of hosts. */
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

/** A value as bash is to put it in place of what it takes for the current word; undefined when it cannot be quoted so. */
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
