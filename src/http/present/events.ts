import type {EventBody} from '../../contract/events.js';
import type {LiveEvent, NumberedEvent} from '../../services/live/follower.js';
import {inboxBody} from './inboxes.js';
import {messageSummaryBody} from './messages.js';
import {deliverySummaryBody} from './webhooks.js';

/** Characters of a text, about: subjects can be long, and there are many events in a batch. */
const textLength = 64 * 1024;

/** Events in the form of `text/event-stream`, in texts that are sent one by one; none is a comment, a sign of life. */
export function* eventStreamTexts(events: readonly NumberedEvent[]): Generator<string> {
	let text = events.length === 0 ? ':\n\n' : '';
	for (const {id, event} of events) {
		const body = eventBody(event);
		text += `id: ${id}\nevent: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;
		if (text.length > textLength) {
			yield text;
			text = '';
		}
	}

	if (text !== '') {
		yield text;
	}
}

function eventBody(event: LiveEvent): EventBody {
	switch (event.type) {
		case 'ready':
			return event;
		case 'message.received':
			return {type: event.type, message: messageSummaryBody(event.message), message_count: event.messageCount};
		case 'message.deleted': {
			const {type, inboxId, messageId, messageCount} = event;
			return {type, inbox_id: inboxId, message_id: messageId, message_count: messageCount};
		}
		case 'inbox.created':
		case 'inbox.changed':
			return {type: event.type, inbox: inboxBody(event)};
		case 'inbox.deleted':
			return {type: event.type, inbox_id: event.inboxId};
		case 'delivery.changed': {
			const {type, delivery} = event;
			return {type, endpoint_id: delivery.endpointId, delivery: deliverySummaryBody(delivery)};
		}
	}
}
