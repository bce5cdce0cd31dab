import type {EventBody} from '../../contract/events.js';
import type {Told} from '../../services/follower.js';
import {inboxBody} from './inboxes.js';
import {messageSummaryBody} from './messages.js';
import {deliverySummaryBody} from './webhooks.js';

/** Events in the form of `text/event-stream`; none is a comment, which shows that the connection lives. */
export function eventStreamText(told: readonly Told[]): string {
	return told.length === 0
		? ':\n\n'
		: told
				.map(({id, event}) => {
					const body = eventBody(event);
					return `id: ${id}\nevent: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;
				})
				.join('');
}

function eventBody(event: Told['event']): EventBody {
	switch (event.type) {
		case 'ready':
			return {type: 'ready', resumed: event.resumed};
		case 'message.received':
			return {type: event.type, message: messageSummaryBody(event.message), message_count: event.messageCount};
		case 'message.deleted':
			return {
				type: event.type,
				inbox_id: event.inbox.id,
				message_id: event.message.id,
				message_count: event.messageCount,
			};
		case 'inbox.created':
		case 'inbox.changed':
			return {type: event.type, inbox: inboxBody(event)};
		case 'inbox.deleted':
			return {type: event.type, inbox_id: event.inbox.id};
		case 'delivery.changed':
			return {
				type: event.type,
				endpoint_id: event.delivery.endpointId,
				delivery: deliverySummaryBody(event.delivery),
			};
	}
}
