import stringWidth from 'string-width';
import {sanitizeText} from './sanitize.js';

/** What a reader takes for one character, with the columns it takes in a terminal: 1 or more. */
type Cluster = {readonly text: string; readonly width: number};

/**
 * Characters on whose width terminals disagree, because they change or join the ones beside them: joiners, variation
 * selectors and others without a look of their own, skin tones, the enclosing keycap, half a pair of surrogates.
 * Without them, every terminal counts the same.
 */
const unsure = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}\p{Me}\p{Cs}]/gu;

/** More combining marks on one character would draw over the lines around it. */
const maxMarks = 4;

/** Characters of a text that are looked at for each column; a subject can be megabytes of marks. */
const maxPerColumn = 16;

const segmenter = new Intl.Segmenter();

/** A text from outside on one line, in composed form, without anything that terminals obey or measure differently. */
export function displayable(text: string): string {
	if (isAscii(text)) {
		return text;
	}

	return sanitizeText(text)
		.replace(/[\t\n]/g, ' ')
		.normalize('NFC')
		.replace(unsure, '');
}

/** The columns that a text from outside takes in a terminal. */
export function widthOf(text: string): number {
	return clustersOf(text).reduce((sum, {width}) => sum + width, 0);
}

/** Cuts or pads a text from outside to exactly `width` columns; a cut is shown by `…`. */
export function fitTo(text: string, width: number): string {
	if (width <= 0) {
		return '';
	}

	const plain = displayable(text.slice(0, maxPerColumn * (width + 1)));
	if (isAscii(plain)) {
		return plain.length <= width ? plain.padEnd(width) : `${plain.slice(0, width - 1)}…`;
	}

	const clusters = clustersOf(plain);
	const mark = fill(clusters, width).end === clusters.length ? '' : '…';
	const room = width - mark.length;
	const {end, width: filled} = fill(clusters, room);
	return textOf(clusters.slice(0, end)) + mark + ' '.repeat(room - filled);
}

/** The end of a text that is being typed, in at most `width` columns. */
export function endOf(text: string, width: number): string {
	const clusters = clustersOf(text);
	return textOf(clusters.slice(clusters.length - fill([...clusters].reverse(), width).end));
}

/**
 * Breaks a text from outside into lines of at most `width` columns: between words where it can, within a longer word
 * where it must. Every line is safe to print; a tab reaches to the next multiple of eight.
 */
export function wrap(text: string, width: number): readonly string[] {
	return sanitizeText(text)
		.split('\n')
		.flatMap(line => wrapLine(expandTabs(line), Math.max(2, width)));
}

function wrapLine(line: string, width: number): readonly string[] {
	const clusters = clustersOf(line.trimEnd());
	const lines: string[] = [];
	let start = 0;
	while (start < clusters.length) {
		const {end} = fill(clusters, width, start);
		const words = end < clusters.length ? lengthOfWords(clusters.slice(start, end + 1)) : 0;
		lines.push(textOf(clusters.slice(start, words > 0 ? start + words : end)));
		// The space at which the line was broken belongs to no line.
		start = words > 0 ? start + words + 1 : end;
	}

	return lines.length === 0 ? [''] : lines;
}

/** The whole words in clusters: all that is before the last space which follows a word; -1 when there is none. */
function lengthOfWords(clusters: readonly Cluster[]): number {
	return clusters.findLastIndex(({text}, index) => text === ' ' && index > 0 && clusters[index - 1]?.text !== ' ');
}

function expandTabs(line: string): string {
	return line.includes('\t')
		? line.split('\t').reduce((before, after) => before.padEnd((Math.floor(before.length / 8) + 1) * 8) + after)
		: line;
}

/** Splits a text into what a terminal shows, cell by cell; nothing without a width stands alone. */
function clustersOf(text: string): readonly Cluster[] {
	const plain = displayable(text);
	if (isAscii(plain)) {
		return Array.from(plain, character => ({text: character, width: 1}));
	}

	return Array.from(segmenter.segment(plain), ({segment}) => {
		const cluster = segment.length <= 2 ? segment : [...segment].slice(0, maxMarks + 1).join('');
		return {text: cluster, width: stringWidth(cluster)};
	}).filter(({width}) => width > 0);
}

/** As many clusters from `start` on as fit: where they end, and the columns they take. */
function fill(clusters: readonly Cluster[], room: number, start = 0): {readonly end: number; readonly width: number} {
	let end = start;
	let width = 0;
	for (let next = clusters[end]; next && width + next.width <= room; next = clusters[end]) {
		width += next.width;
		end++;
	}

	return {end, width};
}

function textOf(clusters: readonly Cluster[]): string {
	return clusters.map(({text}) => text).join('');
}

/** Whether all of it is printable ASCII, one column each. */
function isAscii(text: string): boolean {
	return /^[ -~]*$/.test(text);
}
