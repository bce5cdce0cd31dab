import {seen} from './events.js';
import {bodyHeight, focusOf, listHeight} from './layout.js';
import {moveBy, selectedIndex, selectedRow} from './list.js';
import {following} from './messages.js';
import {hasItems} from './preview.js';
import {mailPanes, type State, webhookPanes} from './state.js';

/** Moves so many rows down in the pane with the focus; up when negative. */
export function moveInPane(state: State, rows: number): State {
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
		case 'delivery':
			return {
				...state,
				webhooks: {...webhooks, top: scroll(webhooks.top, rows, webhooks.lines.length, listHeight(state))},
			};
	}
}

/** The pane beside the one with the focus, if there is one. */
export function movePane(state: State, by: 1 | -1): State {
	if (state.screen === 'webhooks') {
		return {...state, webhookPane: neighbour(webhookPanes, state.webhookPane, by)};
	}

	const mailPane = neighbour(mailPanes, state.mailPane, by);
	// What a person reads is not replaced by the next message that comes.
	const follow = state.messages.follow && mailPane !== 'preview';
	return look({...state, mailPane, messages: {...state.messages, follow}});
}

function neighbour<Pane>(panes: readonly Pane[], pane: Pane, by: 1 | -1): Pane {
	return panes[panes.indexOf(pane) + by] ?? pane;
}

function moveMessages(state: State, rows: number): State {
	const shown = moveBy(state.messages.shown, rows);
	const messages = {...state.messages, shown, follow: false, above: 0, toOldest: rows === Infinity};
	return look({...state, messages: selectedIndex(shown) === 0 ? following(messages) : messages});
}

/** The selected message counts as seen once a person went to it. */
function look(state: State): State {
	const message = selectedRow(state.messages.shown);
	return message === undefined || state.mailPane === 'inboxes'
		? state
		: {...state, unseen: seen(state.unseen, message.inbox_id, message.id)};
}

function movePreview(state: State, rows: number): State {
	const {preview} = state;
	const {lines, tab, item, top} = preview;
	return {
		...state,
		preview: hasItems(tab)
			? {...preview, item: Math.max(0, Math.min(item + rows, lines.length - 1))}
			: {...preview, top: scroll(top, rows, lines.length, bodyHeight(state))},
	};
}

function scroll(top: number, rows: number, count: number, height: number): number {
	return Math.max(0, Math.min(top + rows, count - height));
}
