import {eventsClient} from './events.js';
import {healthClient} from './health.js';
import {inboxesClient} from './inboxes.js';
import {keysClient} from './keys.js';
import {messagesClient} from './messages.js';
import {type Connection, createRequest} from './request.js';
import {teamsClient} from './teams.js';
import {usersClient} from './users.js';
import {webhooksClient} from './webhooks.js';

/** The `/v1` API, noun by noun. */
export type Client = ReturnType<typeof createClient>;

export function createClient(connection: Connection) {
	const request = createRequest(connection);
	return {
		health: healthClient(request),
		users: usersClient(request),
		keys: keysClient(request),
		teams: teamsClient(request),
		inboxes: inboxesClient(request),
		messages: messagesClient(request),
		webhooks: webhooksClient(request),
		events: eventsClient(request),
	};
}
