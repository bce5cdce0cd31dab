import type {Operation} from '../operation.js';
import {eventSchema} from '../schemas/answers/events.js';

export const eventOperations = {
	follow: {
		at: 'GET /events',
		id: 'followEvents',
		summary: 'Follow all that changes for the caller',
		description:
			'Server-sent events: `ready` comes first, and after it all that changes. A client that comes back sends `Last-Event-ID`; `resumed` says whether it missed nothing. If it did, or when all messages of an inbox were deleted at once, it reads again what it shows.',
		caller: 'key',
		headers: {'Last-Event-ID': 'The id of the last event that came.'},
		media: {
			types: ['text/event-stream'],
			description: 'The data of each event is JSON, with the name of the event as its `type`.',
			event: eventSchema,
		},
		errors: ['limit_reached'],
	},
} as const satisfies Readonly<Record<string, Operation>>;
