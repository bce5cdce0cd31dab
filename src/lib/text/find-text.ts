/** Up to this length the engine's own search takes linear time on any text. */
const maxPlainLength = 100;

/**
 * Tells which texts contain the needle, in a time that grows with their length alone. The engine's own search compares a
 * long needle with each place of a text that was made for it; here no character is looked at twice (Knuth, Morris, Pratt).
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

/** Tells which texts contain any of the needles; for those that contain none, that is about as fast as with one needle. */
export function containingAny(needles: readonly string[]): (text: string) => boolean {
	const short = needles.filter(({length}) => length <= maxPlainLength);
	const anyShort = new RegExp(short.map(needle => needle.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'));
	const long = needles.filter(({length}) => length > maxPlainLength).map(containing);
	return text => (short.length > 0 && anyShort.test(text)) || long.some(isIn => isIn(text));
}

/** For each beginning of the needle: the length of its longest end with which the needle begins, too. */
function bordersOf(needle: string): Uint32Array {
	const borders = new Uint32Array(needle.length);
	for (let at = 1, known = 0; at < needle.length; at++) {
		known = grow(needle, borders, known, needle.charCodeAt(at));
		borders[at] = known;
	}

	return borders;
}

/** How much of the needle ends at a character, when `known` characters of it ended at the one before. */
function grow(needle: string, borders: Uint32Array, known: number, character: number): number {
	let length = known;
	while (length > 0 && needle.charCodeAt(length) !== character) {
		length = borders[length - 1] ?? 0;
	}

	return needle.charCodeAt(length) === character ? length + 1 : 0;
}
