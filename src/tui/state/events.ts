import type {EventBody} from '../../contract/events.js';
import type {InboxBody} from '../../contract/inboxes.js';
import {type RowList, withRow, withRows} from './list.js';
import {restart, withMessageEvents} from './messages.js';
import type {WatchState} from './state.js';
import {withUnseen} from './unseen.js';

/** Takes in what the live feed told, in order and all at once. */
export function withEvents(state: WatchState, events: readonly EventBody[]): Partial<WatchState> {
	const {webhooks} = state;
	const tellsOfDeliveries = events.some(
		event => event.type === 'delivery.changed' && event.endpoint_id === webhooks.endpoints.selected,
	);
	const next = {
		inboxes: events.reduce(withInboxEvent, state.inboxes),
		messages: withMessageEvents(state.messages, events),
		webhooks: {...webhooks, deliveriesRevision: webhooks.deliveriesRevision + (tellsOfDeliveries ? 1 : 0)},
		unseen: withUnseen(state.unseen, events),
	};
	const isEmptied = events.some(event => event.type === 'messages.deleted' && event.inbox_id === next.messages.inboxId);
	return isEmptied ? {...next, ...restart({...state, ...next})} : next;
}

function withInboxEvent(inboxes: RowList<InboxBody>, event: EventBody): RowList<InboxBody> {
	const {rows} = inboxes;
	switch (event.type) {
		case 'inbox.created':
		case 'inbox.changed':
			return withRow(inboxes, event.inbox);
		case 'inbox.deleted':
			return withRows(
				inboxes,
				rows.filter(({id}) => id !== event.inbox_id),
			);
		case 'message.received':
		case 'message.deleted':
		case 'messages.deleted': {
			const inboxId = event.type === 'message.received' ? event.message.inbox_id : event.inbox_id;
			return withRows(
				inboxes,
				rows.map(row => (row.id === inboxId ? {...row, message_count: event.message_count} : row)),
			);
		}
		default:
			return inboxes;
	}
}
