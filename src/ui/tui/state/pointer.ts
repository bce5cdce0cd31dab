import {type RowList, selectedIndex, windowOf} from '../../core/list.js';
import {borderWidth, focusOf, headHeight, layoutOf} from './layout.js';
import {focusPane, moveInPane, openTab} from './move.js';
import {hasItems} from './reading.js';
import type {PaneName, WatchState} from './state.js';
import {tabAt} from './tab-labels.js';

/** A character of the terminal, both counted from 0. */
export type Point = {readonly column: number; readonly row: number};

/** Lines of a text that the wheel scrolls at once; in a list it goes row by row. */
const wheelLines = 3;

/** Moves what is under the pointer, which need not have the focus: down, or up. */
export function wheelAt(state: WatchState, point: Point, by: 1 | -1): Partial<WatchState> {
	const {pane} = paneAt(state, point);
	const isText = pane === 'delivery' || pane === 'hit' || (pane === 'preview' && !hasItems(state.preview.tab));
	return moveInPane(state, by * (isText ? wheelLines : 1), pane);
}

/** Gives the focus to what is under the pointer, and selects the row or opens the tab there. */
export function clickAt(state: WatchState, point: Point): Partial<WatchState> {
	const {pane, left, width} = paneAt(state, point);
	const focused = {...state, ...focusPane(state, pane)};
	// Above the pane is the status line.
	const row = point.row - 1;
	if (row < 0 || row >= layoutOf(state).paneHeight) {
		return {};
	}

	if (pane !== 'preview') {
		const list = listOf(state, pane);
		return list === undefined ? focused : select(focused, list.rows.length, selectedIndex(list), row - 1);
	}

	const {preview} = state;
	const head = headHeight(preview);
	if (row === head - 1) {
		const tab = tabAt(preview, width, point.column - left);
		return tab === undefined ? focused : openTab(focused, tab);
	}

	return hasItems(preview.tab) ? select(focused, preview.lines.length, preview.item, row - head, head - 1) : focused;
}

/** Selects a row in view of a list in the pane with the focus, which begins `above` rows lower than a list does. */
function select(state: WatchState, count: number, selected: number, row: number, above = 0): Partial<WatchState> {
	const {start, end} = windowOf(count, selected, layoutOf(state).paneHeight - 1 - above);
	const index = start + row;
	return row >= 0 && index < end && index !== selected ? moveInPane(state, index - selected, focusOf(state)) : state;
}

function listOf(
	{inboxes, messages, webhooks, faults}: WatchState,
	pane: Exclude<PaneName, 'preview'>,
): RowList<{readonly id: string}> | undefined {
	const lists = {
		inboxes: inboxes.shown,
		messages: messages.shown,
		endpoints: webhooks.endpoints,
		deliveries: webhooks.deliveries,
		delivery: undefined,
		faults: faults.faults,
		hits: faults.hits,
		hit: undefined,
	};
	return lists[pane];
}

/** The pane in a column, and where it begins; on a border, that to the left of it. */
function paneAt(state: WatchState, {column}: Point): {pane: PaneName; left: number; width: number} {
	let left = 0;
	const placed = layoutOf(state).panes.map(({pane, width}) => {
		const place = {pane, width, left};
		left += width + borderWidth;
		return place;
	});
	return placed.findLast(place => place.left <= column) ?? {pane: focusOf(state), left: 0, width: state.size.columns};
}
