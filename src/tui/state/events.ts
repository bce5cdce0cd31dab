import type {EventBody} from '../../contract/events.js';
import type {InboxBody} from '../../contract/inboxes.js';
import {type List, withoutRow, withRow, withRows} from './list.js';
import {withMessageEvents} from './messages.js';
import type {State} from './state.js';
import {noneUnseen, withArrived, withoutSeen} from './unseen.js';

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
	const arrived = idsByInbox(
		events.flatMap(event => (event.type === 'message.received' ? [[event.message.inbox_id, event.message.id]] : [])),
	);
	const deleted = idsByInbox(
		events.flatMap(event => (event.type === 'message.deleted' ? [[event.inbox_id, event.message_id]] : [])),
	);
	const gone = events.flatMap(event => (event.type === 'inbox.deleted' ? [event.inbox_id] : []));
	if (arrived.size + deleted.size + gone.length === 0) {
		return unseen;
	}

	const changed = new Map(unseen);
	for (const [inboxId, ids] of arrived) {
		changed.set(inboxId, withArrived(changed.get(inboxId) ?? noneUnseen, ids));
	}

	for (const [inboxId, ids] of deleted) {
		changed.set(inboxId, withoutSeen(changed.get(inboxId) ?? noneUnseen, ids));
	}

	for (const inboxId of gone) {
		changed.delete(inboxId);
	}

	return changed;
}

function idsByInbox(pairs: ReadonlyArray<readonly string[]>): ReadonlyMap<string, readonly string[]> {
	const ids = new Map<string, string[]>();
	for (const [inboxId = '', id = ''] of pairs) {
		ids.set(inboxId, [...(ids.get(inboxId) ?? []), id]);
	}

	return ids;
}

/** The unseen messages without one that was looked at. */
export function seen(unseen: State['unseen'], inboxId: string, messageId: string): State['unseen'] {
	const known = unseen.get(inboxId);
	return known?.ids.has(messageId) ? new Map(unseen).set(inboxId, withoutSeen(known, [messageId])) : unseen;
}
