import type {EventBody} from '../../src/contract/events.js';
import type {InboxBody} from '../../src/contract/inboxes.js';
import type {FullMessageBody, MessageSummaryBody} from '../../src/contract/messages.js';
import type {DeliveryBody, EndpointBody} from '../../src/contract/webhooks.js';
import type {Action} from '../../src/tui/state/action.js';
import {reduce} from '../../src/tui/state/reduce.js';
import {initialState, type WatchState} from '../../src/tui/state/state.js';
import {
	deliveryBody as anyDelivery,
	endpointBody as anyEndpoint,
	inboxBody as anyInbox,
	messageBody as anyMessage,
} from '../helpers/bodies.js';

export function inboxBody(id: string, fields: Partial<InboxBody> = {}): InboxBody {
	return anyInbox({id, email_address: `${id}@tinbox.test`, name: null, message_count: 0, ...fields});
}

export function summaryBody(id: string, fields: Partial<MessageSummaryBody> = {}): MessageSummaryBody {
	return {
		id,
		inbox_id: 'in1',
		from: 'ann@example.com',
		to: 'in1@tinbox.test',
		subject: `Subject ${id}`,
		size: 1000,
		received_at: '2026-01-01T00:00:00Z',
		...fields,
	};
}

export function messageBody(id: string, fields: Partial<FullMessageBody> = {}): FullMessageBody {
	return anyMessage({...summaryBody(id), text: 'Hello', html: '', ...fields});
}

export function endpointBody(id: string, url = `http://127.0.0.1:9/${id}`): EndpointBody {
	return anyEndpoint({id, url});
}

export function deliveryBody(id: string, fields: Partial<DeliveryBody> = {}): DeliveryBody {
	return anyDelivery({id, webhook_endpoint_id: 'e1', status: 'delivered', response_status: 200, ...fields});
}

export function received(id: string, fields: Partial<MessageSummaryBody> = {}, count = 1): EventBody {
	return {type: 'message.received', message: summaryBody(id, fields), message_count: count};
}

export function deleted(id: string, inboxId = 'in1', count = 0): EventBody {
	return {type: 'message.deleted', inbox_id: inboxId, message_id: id, message_count: count};
}

const about = {url: 'http://127.0.0.1:8025/v1', smtp: '127.0.0.1:1025', key: 'tbx_live_abcdefg'};

/** The state after these actions, from the start. */
export function stateAfter(actions: readonly Action[], size = {columns: 200, rows: 50}): WatchState {
	return actions.reduce(reduce, initialState(about, size));
}

/** Connected, with the inboxes `in1` and `in2`, of which the first holds these messages, newest first. */
export function connected(messageIds: readonly string[] = [], complete = true): readonly Action[] {
	return [
		{type: 'feed', feed: {status: 'live'}},
		{type: 'reload'},
		{type: 'inboxes read', rows: [inboxBody('in1', {message_count: messageIds.length}), inboxBody('in2')]},
		{type: 'messages read', inboxId: 'in1', rows: messageIds.map(id => summaryBody(id)), first: true, complete},
	];
}
