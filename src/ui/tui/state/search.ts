import {literal} from '../../core/filter.js';
import {readingHeight} from './layout.js';
import {hasItems} from './reading.js';
import type {PreviewState, WatchState} from './state.js';

/** Looks for a text in the open tab, from one line on; none ends the search and goes back to that line. */
export function searchMessage(state: WatchState, search: string, from: number): Partial<WatchState> {
	const start = hasItems(state.preview.tab) ? {item: from} : {top: from};
	const preview = {...state.preview, ...start, search, match: undefined};
	const line = search === '' ? undefined : findLine(preview, from, 1);
	return {preview: line === undefined ? preview : withLine(preview, line, state)};
}

/** Goes to the next line with the text that is looked for, or to the one before; after the last comes the first. */
export function toMatch(state: WatchState, by: 1 | -1): Partial<WatchState> {
	const {preview} = state;
	const {search, tab, item, match, top} = preview;
	if (search === '') {
		return {notice: {text: 'Press / to search first.', tone: 'info'}};
	}

	const at = hasItems(tab) ? item : match;
	const line = findLine(preview, at === undefined ? top : at + by, by);
	return line === undefined
		? {notice: {text: `No match for "${search}" in this tab.`, tone: 'info'}}
		: {preview: withLine(preview, line, state)};
}

/** The indexes of the lines on which a text begins; where the pane breaks a line, it may go on in the next. */
export function linesWith(search: string, lines: readonly string[]): readonly number[] {
	const characters = Array.from(search, character => (character === ' ' ? '[ \\n]' : literal(character)));
	const matches = lines.join('\n').matchAll(new RegExp(characters.join('\\n?'), 'giu'));
	const found = new Set<number>();
	let line = 0;
	let end = lines[0]?.length ?? 0;
	for (const {index} of matches) {
		while (index > end) {
			line++;
			end += 1 + (lines[line]?.length ?? 0);
		}

		found.add(line);
	}

	return [...found];
}

function findLine({lines, search}: PreviewState, from: number, by: 1 | -1): number | undefined {
	const found = linesWith(search, lines);
	return by === 1
		? (found.find(line => line >= from) ?? found[0])
		: (found.findLast(line => line <= from) ?? found.at(-1));
}

/** With a line marked, or selected, and in view. */
function withLine(preview: PreviewState, line: number, state: WatchState): PreviewState {
	if (hasItems(preview.tab)) {
		return {...preview, item: line};
	}

	const height = readingHeight(state);
	const isInView = line >= preview.top && line < preview.top + height;
	const middle = Math.max(0, Math.min(line - Math.floor(height / 2), preview.lines.length - height));
	return {...preview, match: line, top: isInView ? preview.top : middle};
}
