import type {Action} from './action.js';
import {deliveryLines} from './delivery.js';
import {withEvents} from './events.js';
import {readingWidth} from './layout.js';
import {selectedRow, withRows} from './list.js';
import {following, startReading, withFilter, withPage} from './messages.js';
import {moveInPane, movePane} from './move.js';
import {linesOf} from './preview.js';
import {endpointsRequest} from './requests.js';
import type {State} from './state.js';

/** The state after an action: a pure function, and the only place where the state changes. */
export function reduce(state: State, action: Action): State {
	return settle(apply(state, action), state);
}

function apply(state: State, action: Action): State {
	switch (action.type) {
		case 'resized':
			return {...state, size: action.size};
		case 'live':
			return {...state, live: action.live, about: action.about ?? state.about};
		case 'reload':
			return restart(state);
		case 'events':
			return withEvents(state, action.events);
		case 'inboxes read':
			return {...state, inboxes: withRows(state.inboxes, action.rows), inboxesRevision: state.revision};
		case 'messages read': {
			const messages = action.inboxId === state.messages.inboxId ? withPage(state.messages, action) : state.messages;
			return messages === undefined ? restart(state) : {...state, messages};
		}
		case 'message read':
			return {...state, preview: {...state.preview, message: action.message}};
		case 'source read':
			return action.messageId === state.preview.message?.id
				? {...state, preview: {...state.preview, source: action.source}}
				: state;
		case 'endpoints stale':
			return withStaleEndpoints(state);
		case 'endpoints read':
			return withWebhooks(state, {
				endpoints: withRows(state.webhooks.endpoints, action.rows),
				endpointsRead: endpointsRequest(state),
			});
		case 'deliveries read':
			return withWebhooks(state, {
				deliveries: withRows(state.webhooks.deliveries, action.rows),
				deliveriesRead: action.request,
				total: action.total,
			});
		case 'move':
			return moveInPane(state, action.rows);
		case 'pane':
			return movePane(state, action.by);
		case 'tab':
			return {...state, mailPane: 'preview', preview: {...state.preview, tab: action.tab, top: 0, item: 0}};
		case 'screen':
			return withStaleEndpoints({...state, screen: state.screen === 'mail' ? 'webhooks' : 'mail'});
		case 'follow':
			return {
				...state,
				messages: state.messages.follow ? {...state.messages, follow: false} : following(state.messages),
			};
		case 'filter':
			return {...state, messages: withFilter(state.messages, action.filter)};
		case 'select inbox':
			return {...state, inboxes: {...state.inboxes, selected: action.inboxId}};
		case 'dialog':
			return {...state, dialog: action.dialog};
		case 'notice':
			return {...state, notice: action.notice};
	}
}

/** Everything is to be read again; what is selected stays so. */
function restart(state: State): State {
	return {...state, revision: state.revision + 1, messages: startReading(state.messages, state.messages.inboxId)};
}

function withWebhooks(state: State, webhooks: Partial<State['webhooks']>): State {
	return {...state, webhooks: {...state.webhooks, ...webhooks}};
}

function withStaleEndpoints(state: State): State {
	return withWebhooks(state, {endpointsTurn: state.webhooks.endpointsTurn + 1});
}

/** What follows from the rest: which inbox's messages are shown, which message is open, how its text is laid out. */
function settle(state: State, before: State): State {
	return withDeliveryLines(withPreviewLines(closePreview(withSelectedInbox(state)), before), before);
}

function withSelectedInbox(state: State): State {
	const inboxId = selectedRow(state.inboxes)?.id;
	return inboxId === state.messages.inboxId ? state : {...state, messages: startReading(state.messages, inboxId)};
}

function closePreview(state: State): State {
	const {preview} = state;
	const open = selectedRow(state.messages.shown)?.id;
	return preview.message === undefined || preview.message.id === open
		? state
		: {...state, preview: {...preview, message: undefined, source: undefined, top: 0, item: 0}};
}

function withPreviewLines(state: State, before: State): State {
	const {preview} = state;
	const width = readingWidth(state);
	const same =
		preview.message === before.preview.message &&
		preview.source === before.preview.source &&
		preview.tab === before.preview.tab &&
		width === readingWidth(before);
	return same ? state : {...state, preview: {...preview, lines: linesOf(preview, width)}};
}

function withDeliveryLines(state: State, before: State): State {
	const delivery = selectedRow(state.webhooks.deliveries);
	const width = readingWidth(state);
	return delivery === selectedRow(before.webhooks.deliveries) && width === readingWidth(before)
		? state
		: withWebhooks(state, {lines: deliveryLines(delivery, width), top: 0});
}
