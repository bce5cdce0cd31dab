import {markMatches} from '../../core/filter.js';

/** A text from outside, apart from its neighbours whatever its direction, with what the filter matches marked. */
export function MarkedText({text, filter}: {readonly text: string; readonly filter: string}) {
	return (
		<bdi>
			{markMatches(text, filter).map(({text, marked}, index) =>
				// biome-ignore lint/suspicious/noArrayIndexKey: stretches of one text have no other name
				marked ? <mark key={index}>{text}</mark> : text,
			)}
		</bdi>
	);
}
