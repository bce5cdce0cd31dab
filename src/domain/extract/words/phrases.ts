/**
 * Reads a table of phrases, one language per line: `en: verification code, security code`. A language may have several
 * lines; its name is only for readers.
 */
export function readTable(table: string): readonly string[] {
	return table
		.trim()
		.split('\n')
		.flatMap(line => line.slice(line.indexOf(':') + 1).split(','))
		.map(phrase => phrase.trim())
		.filter(phrase => phrase !== '');
}

/** Whether the phrase is in a script without spaces between words. */
export function isUnspaced(phrase: string): boolean {
	return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(
		phrase,
	);
}

/** The phrases as alternatives of a regular expression, the longest first; their spaces may be hyphens or missing. */
export function alternatives(list: readonly string[]): string {
	return [...list]
		.sort((one, other) => other.length - one.length)
		.map(phrase => phrase.replace(/[.?($]/g, '\\$&').replaceAll(' ', '[ -]?'))
		.join('|');
}

/** Matches where a word of the text begins with one of the phrases. */
export function beginningsOf(list: readonly string[]): RegExp {
	const [unspaced, spaced] = [true, false].map(kind => list.filter(phrase => isUnspaced(phrase) === kind));
	return new RegExp(
		[`(?<!\\p{L})(?:${alternatives(spaced ?? [])})`, ...(unspaced?.length ? [alternatives(unspaced)] : [])].join('|'),
		'iu',
	);
}
