import {moveBy, selectedIndex, selectedRow} from '../../core/list.js';
import {type Tab, tabs} from '../../core/tabs.js';
import {withSeen} from '../../core/unseen.js';
import {withStaleFaults} from './faults.js';
import {focusOf, listHeight, readingHeight} from './layout.js';
import {following} from './messages.js';
import {hasItems} from './reading.js';
import {type PaneName, panes, type WatchState, type WebhookPanes} from './state.js';

/** Moves `rows` down in a pane, which is that with the focus unless given; up when negative. */
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
			return {webhooks: {...webhooks, endpoints: moveBy(webhooks.endpoints, rows)}};
		case 'deliveries':
			return {webhooks: {...webhooks, deliveries: moveBy(webhooks.deliveries, rows)}};
		case 'delivery': {
			const top = scroll(webhooks.top, rows, webhooks.lines.length, listHeight(state));
			return {webhooks: {...webhooks, top}};
		}
		case 'faults':
			return {faults: {...faults, faults: moveBy(faults.faults, rows)}};
		case 'hits':
			return {faults: {...faults, hits: moveBy(faults.hits, rows)}};
		case 'hit':
			return {faults: {...faults, top: scroll(faults.top, rows, faults.lines.length, listHeight(state))}};
	}
}

/** Moves the focus to the next pane on one side, if there is one. */
export function movePane(state: WatchState, by: 1 | -1): Partial<WatchState> {
	const names: readonly PaneName[] = panes[state.screen];
	return focusPane(state, names[names.indexOf(focusOf(state)) + by] ?? focusOf(state));
}

/** Moves the focus to a pane of the screen. */
export function focusPane(state: WatchState, pane: PaneName): Partial<WatchState> {
	const focus = {...state.focus, [state.screen]: pane};
	// The next message to arrive must not replace the one that is being read.
	const follow = state.messages.follow && pane !== 'preview';
	return withLookedAt({...state, focus, messages: {...state.messages, follow}});
}

/** Shows another screen, or from there the mail again. */
export function switchScreen(state: WatchState, to: 'webhooks' | 'faults'): Partial<WatchState> {
	const {screen, webhooks, faults} = state;
	return {
		screen: screen === to ? 'mail' : to,
		webhooks: withStaleEndpoints(webhooks),
		faults: withStaleFaults(faults),
	};
}

/** Has the endpoints read again. */
export function withStaleEndpoints(webhooks: WebhookPanes): WebhookPanes {
	return {...webhooks, endpointsRevision: webhooks.endpointsRevision + 1};
}

/** Opens a tab of the message, at its beginning. */
export function openTab({focus, preview}: WatchState, tab: Tab): Partial<WatchState> {
	return {focus: {...focus, mail: 'preview'}, preview: {...preview, tab, top: 0, item: 0, match: undefined}};
}

/** Opens the next tab or the one before; after the last comes the first. */
export function turnTab(state: WatchState, by: 1 | -1): Partial<WatchState> {
	const index = tabs.indexOf(state.preview.tab) + by;
	return openTab(state, tabs.at(index % tabs.length) ?? 'text');
}

function moveMessages(state: WatchState, rows: number): WatchState {
	const shown = moveBy(state.messages.shown, rows);
	const messages = {...state.messages, shown, follow: false, above: 0, toOldest: rows === Infinity};
	return withLookedAt({...state, messages: selectedIndex(shown) === 0 ? following(messages) : messages});
}

/** The selected message counts as seen once a person went to it. */
function withLookedAt(state: WatchState): WatchState {
	const message = selectedRow(state.messages.shown);
	const isThere = message !== undefined && (focusOf(state) === 'messages' || focusOf(state) === 'preview');
	return isThere ? {...state, unseen: withSeen(state.unseen, message.inbox_id, message.id)} : state;
}

function movePreview(state: WatchState, rows: number): Partial<WatchState> {
	const {preview} = state;
	const {lines, tab, item, top} = preview;
	const moved = hasItems(tab)
		? {item: Math.max(0, Math.min(item + rows, lines.length - 1))}
		: {top: scroll(top, rows, lines.length, readingHeight(state))};
	return {preview: {...preview, ...moved}};
}

function scroll(top: number, rows: number, count: number, height: number): number {
	return Math.max(0, Math.min(top + rows, count - height));
}
