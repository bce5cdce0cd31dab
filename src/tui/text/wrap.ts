import {sanitizeText} from '../../lib/sanitize.js';
import {type Cluster, clustersOf} from './clusters.js';

/**
 * Breaks a text from outside into lines of at most `width` columns: between words where it can, within a longer word
 * where it must. Every line is safe to print; a tab reaches to the next multiple of eight.
 */
export function wrap(text: string, width: number): readonly string[] {
	return sanitizeText(text)
		.split('\n')
		.flatMap(line => wrapLine(expandTabs(line), Math.max(2, width)));
}

function expandTabs(line: string): string {
	return line.includes('\t')
		? line.split('\t').reduce((before, after) => before.padEnd((Math.floor(before.length / 8) + 1) * 8) + after)
		: line;
}

function wrapLine(line: string, width: number): readonly string[] {
	const clusters = clustersOf(line.trimEnd());
	const lines: string[] = [];
	let start = 0;
	while (start < clusters.length) {
		const end = fillLine(clusters, start, width);
		const breakAt = end < clusters.length ? lastSpace(clusters, start, end) : undefined;
		lines.push(textOf(clusters.slice(start, breakAt ?? end)));
		// The space at which the line was broken belongs to no line.
		start = breakAt === undefined ? end : breakAt + 1;
	}

	return lines.length === 0 ? [''] : lines;
}

/** Where the clusters from `start` on no longer fit. */
function fillLine(clusters: readonly Cluster[], start: number, width: number): number {
	let end = start;
	let used = 0;
	for (let cluster = clusters[end]; cluster && used + cluster.width <= width; cluster = clusters[end]) {
		used += cluster.width;
		end++;
	}

	return end;
}

/** The last space behind a word, up to the one right after the line. */
function lastSpace(clusters: readonly Cluster[], start: number, end: number): number | undefined {
	for (let index = end; index > start; index--) {
		if (clusters[index]?.text === ' ' && clusters[index - 1]?.text !== ' ') {
			return index;
		}
	}

	return undefined;
}

function textOf(clusters: readonly Cluster[]): string {
	return clusters.map(({text}) => text).join('');
}
