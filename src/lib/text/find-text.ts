/** Maximum length of a needle for which the search of the engine is linear for any text. */
const maxPlainLength = 100;

/**
 * Returns a test for texts that contain the needle, in time linear in their length. The search of the engine is quadratic
 * for long needles in adversarial texts; this one uses Knuth-Morris-Pratt.
 */
export function containing(needle: string): (text: string) => boolean {
	if (needle.length <= maxPlainLength) {
		return text => text.includes(needle);
	}

	const borders = bordersOf(needle);
	return text => {
		let known = 0;
		for (let at = 0; at < text.length && known < needle.length; at++) {
			known = grow(needle, borders, known, text.charCodeAt(at));
		}

		return known === needle.length;
	};
}

/**
 * Returns a test for texts that contain any of the needles. For texts that contain none it is about as fast as with one
 * needle.
 */
export function containingAny(needles: readonly string[]): (text: string) => boolean {
	const short = needles.filter(({length}) => length <= maxPlainLength);
	const anyShort = new RegExp(short.map(needle => needle.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'));
	const long = needles.filter(({length}) => length > maxPlainLength).map(containing);
	return text => (short.length > 0 && anyShort.test(text)) || long.some(isIn => isIn(text));
}

/** For each prefix of the needle, the length of its longest proper suffix that is also a prefix. */
function bordersOf(needle: string): Uint32Array {
	const borders = new Uint32Array(needle.length);
	for (let at = 1, known = 0; at < needle.length; at++) {
		known = grow(needle, borders, known, needle.charCodeAt(at));
		borders[at] = known;
	}

	return borders;
}

/** Length of the prefix that matches up to this character, if `known` characters matched before it. */
function grow(needle: string, borders: Uint32Array, known: number, character: number): number {
	let length = known;
	while (length > 0 && needle.charCodeAt(length) !== character) {
		length = borders[length - 1] ?? 0;
	}

	return needle.charCodeAt(length) === character ? length + 1 : 0;
}
