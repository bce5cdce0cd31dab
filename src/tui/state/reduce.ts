import type {Action} from './action.js';
import {withEvents} from './events.js';
import {readingWidth} from './layout.js';
import {selectedRow, withRows} from './list.js';
import {following, startReading, withFilter, withPage} from './messages.js';
import {moveInPane, movePane} from './move.js';
import {deliveryLines, previewLines} from './reading.js';
import type {WatchState} from './state.js';

/** The state after an action: a pure function, and the only place where the state changes. */
export function reduce(state: WatchState, action: Action): WatchState {
	return settle(apply(state, action), state);
}

function apply(state: WatchState, action: Action): WatchState {
	const {messages, preview, webhooks} = state;
	switch (action.type) {
		case 'resized':
			return {...state, size: action.size};
		case 'feed':
			return {...state, feed: action.feed, about: action.about ?? state.about};
		case 'reload':
			return restart(state);
		case 'events':
			return withEvents(state, action.events);
		case 'inboxes read':
			return {...state, inboxes: withRows(state.inboxes, action.rows), inboxesRevision: state.revision};
		case 'messages read': {
			const read = action.inboxId === messages.inboxId ? withPage(messages, action) : messages;
			return read === undefined ? restart(state) : {...state, messages: read};
		}
		case 'message read':
			return {...state, preview: {...preview, message: action.message}};
		case 'source read':
			return action.messageId === preview.message?.id
				? {...state, preview: {...preview, source: action.source}}
				: state;
		case 'endpoints stale':
			return withStaleEndpoints(state);
		case 'endpoints read':
			return withWebhooks(state, {
				endpoints: withRows(webhooks.endpoints, action.rows),
				endpointsRead: action.request,
			});
		case 'deliveries read':
			return withWebhooks(state, {
				deliveries: withRows(webhooks.deliveries, action.rows),
				deliveriesRead: action.request,
				total: action.total,
			});
		case 'move':
			return moveInPane(state, action.rows);
		case 'pane':
			return movePane(state, action.by);
		case 'tab':
			return {...state, mailPane: 'preview', preview: {...preview, tab: action.tab, top: 0, item: 0}};
		case 'screen':
			return withStaleEndpoints({...state, screen: state.screen === 'mail' ? 'webhooks' : 'mail'});
		case 'follow':
			return {...state, messages: messages.follow ? {...messages, follow: false} : following(messages)};
		case 'filter':
			return {...state, messages: withFilter(messages, action.filter)};
		case 'select inbox':
			return {...state, inboxes: {...state.inboxes, selected: action.inboxId}};
		case 'dialog':
			return {...state, dialog: action.dialog};
		case 'notice':
			return {...state, notice: action.notice};
	}
}

/** Everything is to be read again; what is selected stays selected. */
function restart(state: WatchState): WatchState {
	return {...state, revision: state.revision + 1, messages: startReading(state.messages, state.messages.inboxId)};
}

function withWebhooks(state: WatchState, webhooks: Partial<WatchState['webhooks']>): WatchState {
	return {...state, webhooks: {...state.webhooks, ...webhooks}};
}

function withStaleEndpoints(state: WatchState): WatchState {
	return withWebhooks(state, {endpointsRevision: state.webhooks.endpointsRevision + 1});
}

/** What follows from the rest: which inbox's messages are shown, which message is open, how its text is laid out. */
function settle(state: WatchState, before: WatchState): WatchState {
	return withDeliveryLines(withPreviewLines(closePreview(withSelectedInbox(state)), before), before);
}

function withSelectedInbox(state: WatchState): WatchState {
	const inboxId = selectedRow(state.inboxes)?.id;
	return inboxId === state.messages.inboxId ? state : {...state, messages: startReading(state.messages, inboxId)};
}

function closePreview(state: WatchState): WatchState {
	const {preview} = state;
	const selected = selectedRow(state.messages.shown)?.id;
	return preview.message === undefined || preview.message.id === selected
		? state
		: {...state, preview: {...preview, message: undefined, source: undefined, top: 0, item: 0}};
}

function withPreviewLines(state: WatchState, before: WatchState): WatchState {
	const {preview} = state;
	const width = readingWidth(state);
	const isSame =
		preview.message === before.preview.message &&
		preview.source === before.preview.source &&
		preview.tab === before.preview.tab &&
		width === readingWidth(before);
	return isSame ? state : {...state, preview: {...preview, lines: previewLines(preview, width)}};
}

function withDeliveryLines(state: WatchState, before: WatchState): WatchState {
	const delivery = selectedRow(state.webhooks.deliveries);
	const width = readingWidth(state);
	return delivery === selectedRow(before.webhooks.deliveries) && width === readingWidth(before)
		? state
		: withWebhooks(state, {lines: deliveryLines(delivery, width), top: 0});
}
