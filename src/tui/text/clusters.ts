import stringWidth from 'string-width';
import {sanitizeText} from '../../lib/sanitize.js';

/** What a reader takes for one character, with the columns it takes in a terminal: 1 or more. */
export type Cluster = {readonly text: string; readonly width: number};

/**
 * Characters on whose width terminals disagree, because they change or join the ones beside them: joiners, variation
 * selectors and others without a look of their own, skin tones, the enclosing keycap, half a pair of surrogates.
 * Without them, every terminal counts the same.
 */
const unsure = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}\p{Me}\p{Cs}]/gu;

/** Marks above one another beyond this draw over the lines around them. */
const mostMarks = 4;

const segmenter = new Intl.Segmenter();

/**
 * Splits text from outside into what a terminal shows, cell by cell. Control characters and escape sequences are gone,
 * tabs and line breaks are spaces, and nothing without a width stands alone.
 */
export function clustersOf(text: string): readonly Cluster[] {
	const plain = displayable(text);
	if (isAscii(plain)) {
		return Array.from(plain, character => ({text: character, width: 1}));
	}

	return Array.from(segmenter.segment(plain), ({segment}) => {
		const cluster = segment.length <= 2 ? segment : [...segment].slice(0, mostMarks + 1).join('');
		return {text: cluster, width: stringWidth(cluster)};
	}).filter(({width}) => width > 0);
}

/** The text on one line, in composed form, without anything that a terminal would obey or measure in its own way. */
export function displayable(text: string): string {
	if (isAscii(text)) {
		return text;
	}

	return sanitizeText(text)
		.replace(/[\t\n]/g, ' ')
		.normalize('NFC')
		.replace(unsure, '');
}

/** Whether all of it is printable ASCII, one column each. */
export function isAscii(text: string): boolean {
	return /^[ -~]*$/.test(text);
}
