import {focusOf, headLines, layoutOf, listHeight} from './layout.js';
import {moveBy, selectedIndex, selectedRow} from './list.js';
import {following} from './messages.js';
import {hasItems} from './reading.js';
import {mailPanes, type WatchState, webhookPanes} from './state.js';
import {withSeen} from './unseen.js';

/** Moves `rows` down in the pane with the focus; up when negative. */
export function moveInPane(state: WatchState, rows: number): WatchState {
	const {webhooks} = state;
	switch (focusOf(state)) {
		case 'inboxes':
			return {...state, inboxes: moveBy(state.inboxes, rows)};
		case 'messages':
			return moveMessages(state, rows);
		case 'preview':
			return movePreview(state, rows);
		case 'endpoints':
			return {...state, webhooks: {...webhooks, endpoints: moveBy(webhooks.endpoints, rows)}};
		case 'deliveries':
			return {...state, webhooks: {...webhooks, deliveries: moveBy(webhooks.deliveries, rows)}};
		case 'delivery': {
			const top = scroll(webhooks.top, rows, webhooks.lines.length, listHeight(state));
			return {...state, webhooks: {...webhooks, top}};
		}
	}
}

/** Moves the focus to the next pane on one side, if there is one. */
export function movePane(state: WatchState, by: 1 | -1): WatchState {
	if (state.screen === 'webhooks') {
		return {...state, webhookPane: neighbour(webhookPanes, state.webhookPane, by)};
	}

	const mailPane = neighbour(mailPanes, state.mailPane, by);
	// The next message to arrive must not replace the one that is being read.
	const follow = state.messages.follow && mailPane !== 'preview';
	return withLookedAt({...state, mailPane, messages: {...state.messages, follow}});
}

function neighbour<Name>(panes: readonly Name[], pane: Name, by: 1 | -1): Name {
	return panes[panes.indexOf(pane) + by] ?? pane;
}

function moveMessages(state: WatchState, rows: number): WatchState {
	const shown = moveBy(state.messages.shown, rows);
	const messages = {...state.messages, shown, follow: false, above: 0, toOldest: rows === Infinity};
	return withLookedAt({...state, messages: selectedIndex(shown) === 0 ? following(messages) : messages});
}

/** The selected message counts as seen once a person went to it. */
function withLookedAt(state: WatchState): WatchState {
	const message = selectedRow(state.messages.shown);
	return message === undefined || state.mailPane === 'inboxes'
		? state
		: {...state, unseen: withSeen(state.unseen, message.inbox_id, message.id)};
}

function movePreview(state: WatchState, rows: number): WatchState {
	const {preview} = state;
	const {lines, tab, item, top} = preview;
	const moved = hasItems(tab)
		? {item: Math.max(0, Math.min(item + rows, lines.length - 1))}
		: {top: scroll(top, rows, lines.length, Math.max(1, layoutOf(state).paneHeight - headLines))};
	return {...state, preview: {...preview, ...moved}};
}

function scroll(top: number, rows: number, count: number, height: number): number {
	return Math.max(0, Math.min(top + rows, count - height));
}
