import type {EventBody} from '../../../../src/contract/events.js';
import type {FaultBody, FaultHitBody} from '../../../../src/contract/faults.js';
import type {InboxBody} from '../../../../src/contract/inboxes.js';
import type {FullMessageBody, MessageSummaryBody} from '../../../../src/contract/messages.js';
import type {DeliveryBody, EndpointBody} from '../../../../src/contract/webhooks.js';
import {withInboxes} from '../../../../src/ui/core/inboxes.js';
import type {Tab} from '../../../../src/ui/core/keys.js';
import {withRows} from '../../../../src/ui/core/list.js';
import type {MessageRow} from '../../../../src/ui/core/message-list.js';
import {withFaults, withHits} from '../../../../src/ui/tui/state/faults.js';
import {filterMessages, type InboxRead, listOf, restart, withMessages} from '../../../../src/ui/tui/state/messages.js';
import {filterInboxes, moveInPane, movePane, openTab, switchScreen} from '../../../../src/ui/tui/state/move.js';
import {initialState, type PaneName, type WatchState} from '../../../../src/ui/tui/state/state.js';
import {type Update, withDerivedParts, withEvents} from '../../../../src/ui/tui/state/update.js';
import {
	deliveryBody as defaultDelivery,
	endpointBody as defaultEndpoint,
	faultBody as defaultFault,
	faultHitBody as defaultHit,
	inboxBody as defaultInbox,
	messageBody as defaultMessage,
} from '../../../helpers/bodies.js';

export function inboxBody(id: string, fields: Partial<InboxBody> = {}): InboxBody {
	return defaultInbox({id, email_address: `${id}@tinbox.test`, name: null, message_count: 0, ...fields});
}

export function summaryBody(id: string, fields: Partial<MessageSummaryBody> = {}): MessageSummaryBody {
	return {
		id,
		inbox_id: 'in1',
		from: 'ann@example.com',
		from_name: null,
		to: 'in1@tinbox.test',
		subject: `Subject ${id}`,
		size: 1000,
		received_at: '2026-01-01T00:00:00Z',
		...fields,
	};
}

export function messageBody(id: string, fields: Partial<FullMessageBody> = {}): FullMessageBody {
	return defaultMessage({...summaryBody(id), text: 'Hello', html: '', ...fields});
}

export function endpointBody(id: string, url = `http://127.0.0.1:9/${id}`): EndpointBody {
	return defaultEndpoint({id, url});
}

export function deliveryBody(id: string, fields: Partial<DeliveryBody> = {}): DeliveryBody {
	return defaultDelivery({id, webhook_endpoint_id: 'e1', status: 'delivered', response_status: 200, ...fields});
}

export function faultBody(id: string, fields: Partial<FaultBody> = {}): FaultBody {
	return defaultFault({id, inbox_id: 'in1', ...fields});
}

export function hitBody(id: string, fields: Partial<FaultHitBody> = {}): FaultHitBody {
	return defaultHit({id, inbox_id: 'in1', fault_id: 'f1', ...fields});
}

export function received(id: string, fields: Partial<MessageSummaryBody> = {}, count = 1): EventBody {
	return {type: 'message.received', message: summaryBody(id, fields), message_count: count};
}

export function deleted(id: string, inboxId = 'in1', count = 0): EventBody {
	return {type: 'message.deleted', inbox_id: inboxId, message_id: id, message_count: count};
}

const connection = {url: 'http://127.0.0.1:8025/v1', smtp: '127.0.0.1:1025', key: 'tbx_live_abcdefg'};

// Updates by the user and the live feed.
export const move =
	(rows: number, pane?: PaneName): Update =>
	state =>
		moveInPane(state, rows, pane);
export const toPane =
	(by: 1 | -1): Update =>
	state =>
		movePane(state, by);
export const toScreen =
	(screen: 'webhooks' | 'faults'): Update =>
	state =>
		switchScreen(state, screen);
export const toTab =
	(tab: Tab): Update =>
	state =>
		openTab(state, tab);
export const filterBy =
	(filter: string): Update =>
	state =>
		filterMessages(state, filter);
export const filterInboxesBy =
	(filter: string): Update =>
	state =>
		filterInboxes(state, filter);
export const eventsReceived =
	(...events: readonly EventBody[]): Update =>
	state =>
		withEvents(state, events);

/** Response to a request for the inboxes. */
export function inboxesRead(...rows: readonly InboxBody[]): Update {
	return ({inboxes, revision}) => ({inboxes: withInboxes(inboxes, rows), inboxesRevision: revision});
}

/** Response for the inbox `in1`: its newest messages, older messages, or details of known messages. */
export function pageRead(
	rows: readonly MessageRow[],
	{kind = 'newest', complete = true}: {kind?: 'newest' | 'older' | 'details'; complete?: boolean} = {},
): Update {
	return state => withMessages(state, readOf(state, 'in1', kind, rows.length + (complete ? 1 : 0)), rows);
}

/** Request that the UI sends in this state. */
export function readOf(
	{messages, revision}: WatchState,
	inboxId: string,
	kind: 'newest' | 'older' | 'details',
	limit: number,
): InboxRead {
	const {changes, rows} = listOf(messages, inboxId);
	const request = {changes, revision, limit};
	const before = rows.at(-1)?.id ?? '';
	return {
		inboxId,
		read:
			kind === 'older'
				? {...request, kind, before}
				: kind === 'details'
					? {kind, before: undefined, limit}
					: {...request, kind},
	};
}

export function messageRead(message: FullMessageBody): Update {
	return ({preview}) => ({preview: {...preview, message}});
}

export function sourceRead(source: string): Update {
	return ({preview}) => ({preview: {...preview, source}});
}

export function endpointsRead(...rows: readonly EndpointBody[]): Update {
	return ({webhooks}) => ({webhooks: {...webhooks, list: withRows(webhooks.list, rows)}});
}

export function deliveriesRead(...rows: readonly DeliveryBody[]): Update {
	return ({webhooks}) => ({
		webhooks: {...webhooks, records: withRows(webhooks.records, rows), total: rows.length},
	});
}

export function faultsRead(...rows: readonly FaultBody[]): Update {
	return ({faults}) => ({faults: withFaults(faults, rows)});
}

export function hitsRead(...rows: readonly FaultHitBody[]): Update {
	return ({faults, focus}) => ({
		faults: withHits(faults, {hits: rows, total: rows.length}, focus.faults === 'hit'),
	});
}

/** The state after an update. */
export function updated(state: WatchState, update: Update): WatchState {
	return withDerivedParts({...state, ...(typeof update === 'function' ? update(state) : update)}, state);
}

/** The state after these updates to the initial state. */
export function stateAfter(updates: readonly Update[], size = {columns: 200, rows: 50}): WatchState {
	return updates.reduce(updated, initialState(connection, size));
}

/** Updates up to a live feed with the inboxes `in1` (with these messages, newest first) and `in2`. */
export function connected(messageIds: readonly string[] = [], complete = true): readonly Update[] {
	return [
		{feed: {status: 'live'}},
		restart,
		inboxesRead(inboxBody('in1', {message_count: messageIds.length}), inboxBody('in2')),
		pageRead(
			messageIds.map(id => summaryBody(id)),
			{complete},
		),
	];
}
