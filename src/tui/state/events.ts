import type {EventBody} from '../../contract/events.js';
import type {InboxBody} from '../../contract/inboxes.js';
import {type List, withoutRow, withRow, withRows} from './list.js';
import {withMessageEvents} from './messages.js';
import type {State} from './state.js';

/** Takes in what the live feed told, in order and all at once. */
export function withEvents(state: State, events: readonly EventBody[]): State {
	return {
		...state,
		inboxes: events.reduce(withInboxEvent, state.inboxes),
		messages: withMessageEvents(state.messages, events),
		webhooks: {
			...state.webhooks,
			deliveriesRevision: state.webhooks.deliveriesRevision + (tellsOfDeliveries(state, events) ? 1 : 0),
		},
		unseen: withUnseen(state.unseen, events),
	};
}

function withInboxEvent(inboxes: List<InboxBody>, event: EventBody): List<InboxBody> {
	switch (event.type) {
		case 'inbox.created':
		case 'inbox.changed':
			return withRow(inboxes, event.inbox);
		case 'inbox.deleted':
			return withoutRow(inboxes, event.inbox_id);
		case 'message.received':
			return withCount(inboxes, event.message.inbox_id, event.message_count);
		case 'message.deleted':
			return withCount(inboxes, event.inbox_id, event.message_count);
		default:
			return inboxes;
	}
}

function withCount(inboxes: List<InboxBody>, inboxId: string, count: number): List<InboxBody> {
	return withRows(
		inboxes,
		inboxes.rows.map(row => (row.id === inboxId ? {...row, message_count: count} : row)),
	);
}

function tellsOfDeliveries({webhooks}: State, events: readonly EventBody[]): boolean {
	return events.some(event => event.type === 'delivery.changed' && event.endpoint_id === webhooks.endpoints.selected);
}

function withUnseen(unseen: State['unseen'], events: readonly EventBody[]): State['unseen'] {
	const copies = new Map<string, Set<string>>();
	const idsOf = (inboxId: string) => {
		const ids = copies.get(inboxId) ?? new Set(unseen.get(inboxId));
		copies.set(inboxId, ids);
		return ids;
	};
	for (const event of events) {
		if (event.type === 'message.received') {
			idsOf(event.message.inbox_id).add(event.message.id);
		} else if (event.type === 'message.deleted') {
			idsOf(event.inbox_id).delete(event.message_id);
		} else if (event.type === 'inbox.deleted') {
			idsOf(event.inbox_id).clear();
		}
	}

	return copies.size === 0 ? unseen : new Map([...unseen, ...copies]);
}

/** The unseen messages without one that was looked at. */
export function seen(unseen: State['unseen'], inboxId: string, messageId: string): State['unseen'] {
	const ids = unseen.get(inboxId);
	return ids?.has(messageId) ? new Map(unseen).set(inboxId, new Set([...ids].filter(id => id !== messageId))) : unseen;
}
