/** A stretch of a text, which the filter's words are in or not. */
export type Stretch = {readonly text: string; readonly marked: boolean};

/** Finds a filter's text as people mean it: without case, wherever it stands. */
export function matcherOf(filter: string): RegExp {
	return new RegExp(filter.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu');
}

/** Splits a text into what the filter matched and the rest, in order. */
export function markMatches(text: string, filter: string): readonly Stretch[] {
	if (filter === '') {
		return [{text, marked: false}];
	}

	const stretches: Stretch[] = [];
	let end = 0;
	for (const match of text.matchAll(matcherOf(filter))) {
		stretches.push({text: text.slice(end, match.index), marked: false}, {text: match[0], marked: true});
		end = match.index + match[0].length;
	}

	return [...stretches, {text: text.slice(end), marked: false}].filter(stretch => stretch.text !== '');
}
