import stringWidth from 'string-width';
import {sanitizeLine, sanitizeText} from './sanitize.js';

/** What a reader takes for one character, with the columns it takes in a terminal: 1 or more. */
type Cluster = {readonly text: string; readonly width: number};

/** What was measured already of one text, in which most characters come again. */
type Widths = Map<string, number>;

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

/** Characters that are segmented at once. */
const maxPiece = 256;

const segmenter = new Intl.Segmenter();

/**
 * A text from outside on one line, in composed form, without anything that terminals obey or measure differently; what
 * nobody could see is written out.
 */
export function displayable(text: string): string {
	return isAscii(text) ? text : measurable(sanitizeLine(text));
}

/** Leaves out what terminals measure differently. */
function measurable(text: string): string {
	return isAscii(text) ? text : text.normalize('NFC').replace(unsure, '');
}

/** The columns that a text from outside takes in a terminal. */
export function widthOf(text: string): number {
	return clustersOf(displayable(text)).reduce((sum, {width}) => sum + width, 0);
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
	const clusters = clustersOf(displayable(text));
	return textOf(clusters.slice(clusters.length - fill([...clusters].reverse(), width).end));
}

/**
 * Breaks a text from outside into lines of at most `width` columns: between words where it can, within a longer word
 * where it must. Every line is safe to print; a tab reaches to the next multiple of eight.
 */
export function wrap(text: string, width: number): readonly string[] {
	const widths: Widths = new Map();
	return sanitizeText(text)
		.split('\n')
		.flatMap(line => wrapLine(expandTabs(line), Math.max(2, width), widths));
}

function wrapLine(line: string, width: number, widths: Widths): readonly string[] {
	const clusters = clustersOf(measurable(line.trimEnd()), widths);
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
function clustersOf(plain: string, widths: Widths = new Map()): readonly Cluster[] {
	if (isAscii(plain)) {
		return Array.from(plain, character => ({text: character, width: 1}));
	}

	const clusters: Cluster[] = [];
	for (const segment of segmentsOf(plain)) {
		const text = segment.length <= 2 ? segment : [...segment].slice(0, maxMarks + 1).join('');
		const width = widths.get(text) ?? stringWidth(text);
		widths.set(text, width);
		if (width > 0) {
			clusters.push({text, width});
		}
	}

	return clusters;
}

/**
 * The segments of a text, found in one piece of it after the other: the time that Node.js 20 takes grows with the square
 * of a text's length. What a piece ends with may go on in the next.
 */
function* segmentsOf(text: string): Generator<string> {
	for (let start = 0; start < text.length; ) {
		const piece = text.slice(start, start + maxPiece).replace(/[\ud800-\udbff]$/, '');
		const segments = Array.from(segmenter.segment(piece), ({segment}) => segment);
		const last = start + piece.length < text.length && segments.length > 1 ? segments.pop() : undefined;
		yield* segments;
		start += piece.length - (last?.length ?? 0);
	}
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
