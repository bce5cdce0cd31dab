import type {EventBody} from '../../contract/events.js';
import type {LiveEvent, NumberedEvent} from '../../services/live/follower.js';
import {faultHitBody} from './faults.js';
import {inboxBody} from './inboxes.js';
import {messageSummaryBody} from './messages.js';
import {deliverySummaryBody} from './webhooks.js';

/** Events in the form of `text/event-stream`; none is a comment, a sign of life. */
export function eventStreamText(events: readonly NumberedEvent[]): string {
	const texts = events.map(({id, event}) => {
		const body = eventBody(event);
		return `id: ${id}\nevent: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;
	});
	return texts.join('') || ':\n\n';
}

function eventBody(event: LiveEvent): EventBody {
	switch (event.type) {
		case 'ready':
			return event;
		case 'message.received':
			return {type: event.type, message: messageSummaryBody(event.message), message_count: event.messageCount};
		case 'message.deleted': {
			const {type, inboxId, messageId, messageCount} = event;
			return {type, inbox_id: inboxId, message_id: messageId, message_count: messageCount, ...reasonOf(event)};
		}
		case 'messages.deleted': {
			const {type, inboxId, messageCount} = event;
			return {type, inbox_id: inboxId, message_count: messageCount, ...reasonOf(event)};
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
		case 'fault.hit':
			return {type: event.type, hit: faultHitBody(event.hit)};
		case 'faults.changed':
			return {type: event.type, inbox_id: event.inboxId};
	}
}

function reasonOf({isEvicted}: {readonly isEvicted: boolean}) {
	return isEvicted ? ({reason: 'evicted'} as const) : {};
}
