import {Readable} from 'node:stream';
import {type EventBody, eventSchema} from '../../contract/events.js';
import {isUnavailable} from '../../domain/errors.js';
import type {LiveEvent, NumberedEvent} from '../../services/live/follower.js';
import {clientClosed, type HttpConnections} from '../server/connections.js';
import type {Services} from '../services.js';
import {faultHitBody} from './faults.js';
import {inboxBody} from './inboxes.js';
import {messageSummaryBody} from './messages.js';
import type {Operation} from './operation.js';
import type {Routes} from './routing.js';
import {deliverySummaryBody} from './webhooks.js';

export const eventOperations = {
	follow: {
		route: 'GET /events',
		id: 'followEvents',
		summary: 'Follow changes as server-sent events',
		description:
			'Streams every change that the caller can see. The first event is `ready`. To resume after a lost connection, send the last event id in `Last-Event-ID`. If `resumed` in the `ready` event is false, events were missed: read the lists again. Do the same after `messages.deleted`, which reports that all messages of an inbox were deleted at once.',
		headers: {'Last-Event-ID': 'Id of the last event received; the stream resumes after it.'},
		media: {
			types: ['text/event-stream'],
			description: 'Stream of events. The data of each event is a JSON object whose `type` is the name of the event.',
			event: eventSchema,
		},
		errors: ['limit_reached'],
	},
} as const satisfies Readonly<Record<string, Operation>>;

/** Interval of heartbeats, by which both sides detect a lost connection. */
const heartbeatMs = 15_000;

type Batch = readonly NumberedEvent[];

export function addEventRoutes(
	routes: Routes,
	{credentials, follower, quotas}: Services,
	connections: Pick<HttpConnections, 'holdForNews'>,
): void {
	/** Text of a batch, shared by all clients that receive it. */
	const texts = new WeakMap<Batch, Buffer>();

	routes.add(eventOperations.follow, async ({ctx, user}) => {
		if (!connections.holdForNews(ctx.res, quotas.streams, user.id)) {
			return;
		}

		const batches = follower.follow({
			lastEventId: ctx.get('Last-Event-ID'),
			identify: () => credentials.byKey(ctx.get('X-API-Key')).catch(nobodyIfRevoked),
			idleMs: heartbeatMs,
			signal: clientClosed(ctx.res),
		});
		ctx.type = 'text/event-stream';
		ctx.body = Readable.from(textOf(batches, texts), {objectMode: false});
	});
}

function nobodyIfRevoked(error: unknown): undefined {
	if (isUnavailable(error)) {
		throw error;
	}
}

/** Encodes a batch when the client has read the previous one, so that a slow client buffers only one text. */
async function* textOf(batches: AsyncIterable<Batch>, texts: WeakMap<Batch, Buffer>): AsyncGenerator<Buffer> {
	for await (const batch of batches) {
		const text = texts.get(batch) ?? Buffer.from(eventStreamText(batch));
		texts.set(batch, text);
		yield text;
	}
}

/** Encodes events as `text/event-stream`; no events are encoded as a comment (heartbeat). */
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
