import stringWidth from 'string-width';
import {sanitizeLine, sanitizeText} from './sanitize.js';

/** Grapheme cluster with its width in terminal columns, at least 1. */
type Cluster = {readonly text: string; readonly width: number};

/** Widths of the clusters of one text, in which most characters repeat. */
type Widths = Map<string, number>;

/**
 * Characters of which terminals compute different widths, because they change or join their neighbors: joiners, variation
 * selectors and other characters without a glyph, skin tones, the enclosing keycap, lone surrogates. Without them, all
 * terminals agree.
 */
const ambiguousWidth = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}\p{Me}\p{Cs}]/gu;

/** Maximum number of combining marks per character; more would draw over other lines. */
const maxMarks = 4;

/** Characters examined per column, because a subject can be megabytes of marks. */
const maxPerColumn = 16;

/** Characters segmented at once. */
const maxPiece = 256;

const segmenter = new Intl.Segmenter();

/**
 * Untrusted text on one line, composed (NFC), without characters that terminals interpret or measure differently. Invisible
 * characters are written out.
 */
export function displayable(text: string): string {
	return isAscii(text) ? text : measurable(sanitizeLine(text));
}

/** Removes the characters that terminals measure differently. */
function measurable(text: string): string {
	return isAscii(text) ? text : text.normalize('NFC').replace(ambiguousWidth, '');
}

/** Width of an untrusted text in terminal columns. */
export function widthOf(text: string): number {
	return clustersOf(displayable(text)).reduce((sum, {width}) => sum + width, 0);
}

/** Cuts or pads an untrusted text to exactly `width` columns; a cut text ends with `…`. */
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

/** End of a text that is being typed, in at most `width` columns. */
export function endOf(text: string, width: number): string {
	const clusters = clustersOf(displayable(text));
	return textOf(clusters.slice(clusters.length - fill([...clusters].reverse(), width).end));
}

/**
 * Breaks an untrusted text into lines of at most `width` columns, between words if possible. Every line is safe to print. A
 * tab reaches to the next multiple of eight.
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
		// The space at a line break belongs to no line.
		start = words > 0 ? start + words + 1 : end;
	}

	return lines.length === 0 ? [''] : lines;
}

/** Number of clusters before the last space that follows a word; -1 if there is none. */
function lengthOfWords(clusters: readonly Cluster[]): number {
	return clusters.findLastIndex(({text}, index) => text === ' ' && index > 0 && clusters[index - 1]?.text !== ' ');
}

function expandTabs(line: string): string {
	return line.includes('\t')
		? line.split('\t').reduce((before, after) => before.padEnd((Math.floor(before.length / 8) + 1) * 8) + after)
		: line;
}

/** Splits a text into the clusters that a terminal shows; skips those without a width. */
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
 * Segments of a text, found piece by piece, because the time that Node.js 20 takes is quadratic in the length. The last
 * segment of a piece may continue in the next.
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

/** Index after the last cluster that fits from `start` on, and the width of those that fit. */
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

/** True for printable ASCII, where each character has one column. */
function isAscii(text: string): boolean {
	return /^[ -~]*$/.test(text);
}
