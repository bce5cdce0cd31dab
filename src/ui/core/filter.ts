/** A stretch of a text that the filter matches, or one between matches. */
export type Stretch = {readonly text: string; readonly marked: boolean};

/** Finds the text of a filter anywhere, in capitals or not. */
export function filterPattern(filter: string): RegExp {
	return new RegExp(`(${literal(filter)})`, 'giu');
}

/** A text as a part of a pattern that matches nothing else. */
export function literal(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Splits a text into what the filter matches and the rest, in order. */
export function markMatches(text: string, filter: string): readonly Stretch[] {
	// The pattern is a group, so every other piece is what it matched.
	const pieces = filter === '' ? [text] : text.split(filterPattern(filter));
	return pieces.map((piece, index) => ({text: piece, marked: index % 2 === 1})).filter(piece => piece.text !== '');
}
