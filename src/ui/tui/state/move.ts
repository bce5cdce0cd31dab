import {nextUnseen, withInboxFilter, withSeen} from '../../core/inboxes.js';
import {type Tab, tabs} from '../../core/keys.js';
import {moveBy, type RowList, selectedIndex, selectedRow, windowOf, withStaleList} from '../../core/list.js';
import {borderWidth, focusOf, headHeight, layoutOf, listHeight, readingHeight, tabAt} from './layout.js';
import {withAutoOpen} from './messages.js';
import {hasItems} from './reading.js';
import {type PaneName, type PreviewState, panes, type WatchState} from './state.js';

/** Moves the selection or the text of a pane, by default the focused one, by `rows` down; negative for up. */
export function moveInPane(state: WatchState, rows: number, pane = focusOf(state)): Partial<WatchState> {
	const {webhooks, faults} = state;
	switch (pane) {
		case 'inboxes':
			return {inboxes: {...state.inboxes, shown: moveBy(state.inboxes.shown, rows)}};
		case 'messages':
			return moveMessages(state, rows);
		case 'preview':
			return movePreview(state, rows);
		case 'endpoints':
			return {webhooks: {...webhooks, list: moveBy(webhooks.list, rows)}};
		case 'deliveries':
			return {webhooks: {...webhooks, records: moveBy(webhooks.records, rows)}};
		case 'delivery':
			return {webhooks: scrolled(webhooks, rows, listHeight(state))};
		case 'faults':
			return {faults: {...faults, list: moveBy(faults.list, rows)}};
		case 'hits':
			return {faults: {...faults, records: moveBy(faults.records, rows)}};
		case 'hit':
			return {faults: scrolled(faults, rows, listHeight(state))};
	}
}

/** Moves the focus to the pane at the right (1) or left (-1), if there is one. */
export function movePane(state: WatchState, by: 1 | -1): Partial<WatchState> {
	const names: readonly PaneName[] = panes[state.screen];
	return focusPane(state, names[names.indexOf(focusOf(state)) + by] ?? focusOf(state));
}

/** Moves the focus to a pane of the screen. */
function focusPane(state: WatchState, pane: PaneName): Partial<WatchState> {
	const focus = {...state.focus, [state.screen]: pane};
	// An arrival must not replace the message that the user reads.
	const autoOpen = state.messages.autoOpen && pane !== 'preview';
	return withSelectedSeen({...state, focus, messages: {...state.messages, autoOpen}});
}

/** Shows a screen, or the mail again if it is shown already. */
export function switchScreen(state: WatchState, to: 'webhooks' | 'faults'): Partial<WatchState> {
	const {screen, webhooks, faults} = state;
	return {screen: screen === to ? 'mail' : to, webhooks: withStaleList(webhooks), faults: withStaleList(faults)};
}

/** Opens a tab of the message at its first line. */
export function openTab({focus, preview}: WatchState, tab: Tab): Partial<WatchState> {
	return {focus: {...focus, mail: 'preview'}, preview: {...preview, tab, top: 0, item: 0, match: undefined}};
}

/** Opens the next or previous tab, cyclically. */
export function turnTab(state: WatchState, by: 1 | -1): Partial<WatchState> {
	const index = tabs.indexOf(state.preview.tab) + by;
	return openTab(state, tabs.at(index % tabs.length) ?? 'text');
}

function moveMessages(state: WatchState, rows: number): WatchState {
	const shown = moveBy(state.messages.shown, rows);
	const messages = {...state.messages, shown, autoOpen: false, above: 0, toOldest: rows === Infinity};
	return withSelectedSeen({...state, messages: selectedIndex(shown) === 0 ? withAutoOpen(messages) : messages});
}

/** Marks the selected message as seen if the list or the message has the focus. */
function withSelectedSeen(state: WatchState): WatchState {
	const message = selectedRow(state.messages.shown);
	const isThere = message !== undefined && (focusOf(state) === 'messages' || focusOf(state) === 'preview');
	return isThere ? {...state, unseen: withSeen(state.unseen, message.inbox_id, message.id)} : state;
}

function movePreview(state: WatchState, rows: number): Partial<WatchState> {
	const {preview} = state;
	const {lines, tab, item} = preview;
	return hasItems(tab)
		? {preview: {...preview, item: Math.max(0, Math.min(item + rows, lines.length - 1))}}
		: {preview: scrolled(preview, rows, readingHeight(state))};
}

function scrolled<Text extends Pick<PreviewState, 'lines' | 'top'>>(text: Text, rows: number, height: number): Text {
	return {...text, top: Math.max(0, Math.min(text.top + rows, text.lines.length - height))};
}

/** Position in the terminal, counted from 0. */
type Point = {readonly column: number; readonly row: number};

/** Number of lines of a text that the wheel scrolls at once; one row in a list. */
const wheelLines = 3;

/** Moves the pane under the pointer, without changing the focus. */
export function wheelAt(state: WatchState, point: Point, by: 1 | -1): Partial<WatchState> {
	const {pane} = paneAt(state, point);
	const isText = pane === 'delivery' || pane === 'hit' || (pane === 'preview' && !hasItems(state.preview.tab));
	return moveInPane(state, by * (isText ? wheelLines : 1), pane);
}

/** Focuses the pane under the pointer, and selects the row or opens the tab there. */
export function clickAt(state: WatchState, point: Point): Partial<WatchState> {
	const {pane, left, width} = paneAt(state, point);
	const focused = {...state, ...focusPane(state, pane)};
	// The status line is above the panes.
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

/** Selects a row in view of the focused pane. `above` is the number of rows between title and list. */
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
		endpoints: webhooks.list,
		deliveries: webhooks.records,
		delivery: undefined,
		faults: faults.list,
		hits: faults.records,
		hit: undefined,
	};
	return lists[pane];
}

/** Pane in a column, or to the left of a border, and its first column. */
function paneAt(state: WatchState, {column}: Point): {pane: PaneName; left: number; width: number} {
	let left = 0;
	const placed = layoutOf(state).panes.map(({pane, width}) => {
		const place = {pane, width, left};
		left += width + borderWidth;
		return place;
	});
	return placed.findLast(place => place.left <= column) ?? {pane: focusOf(state), left: 0, width: state.size.columns};
}

/** Filters the inboxes by name and address. The row `selected` is selected if it matches. */
export function filterInboxes({inboxes}: WatchState, filter: string, selected?: string): Partial<WatchState> {
	return {inboxes: withInboxFilter(inboxes, filter, selected)};
}

/** Selects the next inbox with unseen messages, cyclically. */
export function toUnseenInbox({inboxes, unseen, focus}: WatchState): Partial<WatchState> {
	const next = nextUnseen(inboxes, unseen);
	return next === undefined
		? {notice: {text: 'No inbox has new mail.', tone: 'info'}}
		: {
				inboxes: {...inboxes, shown: {...inboxes.shown, selected: next.id}},
				focus: {...focus, mail: focus.mail === 'preview' ? 'messages' : focus.mail},
			};
}
