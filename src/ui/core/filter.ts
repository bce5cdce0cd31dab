/** Part of a text that either matches the filter or lies between matches. */
export type TextRun = {readonly text: string; readonly marked: boolean};

/** Splits a text into matches of the filter (case-insensitive) and the rest, in order. */
export function markMatches(text: string, filter: string): readonly TextRun[] {
	// The pattern is a group, so every second piece is a match.
	const pieces = filter === '' ? [text] : text.split(filterPattern(filter));
	return pieces.map((piece, index) => ({text: piece, marked: index % 2 === 1})).filter(piece => piece.text !== '');
}

/** Pattern that finds the text of a filter anywhere, case-insensitively. */
export function filterPattern(filter: string): RegExp {
	return new RegExp(`(${escapePattern(filter)})`, 'giu');
}

/** Escapes a text for use in a pattern. */
export function escapePattern(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
