import {eventSchema} from '../../contract/events.js';
import type {Operation} from '../operation.js';

export const eventOperations = {
	follow: {
		at: 'GET /events',
		id: 'followEvents',
		summary: 'Follow changes as server-sent events',
		description:
			'Streams every change that the caller can see. The first event is `ready`. To resume after a lost connection, send the last event id in `Last-Event-ID`. If `resumed` in the `ready` event is false, events were missed: read the lists again. Do the same after `messages.deleted`, which reports that all messages of an inbox were deleted at once.',
		caller: 'key',
		headers: {'Last-Event-ID': 'Id of the last event received; the stream resumes after it.'},
		media: {
			types: ['text/event-stream'],
			description: 'Stream of events. The data of each event is a JSON object whose `type` is the name of the event.',
			event: eventSchema,
		},
		errors: ['limit_reached'],
	},
} as const satisfies Readonly<Record<string, Operation>>;
