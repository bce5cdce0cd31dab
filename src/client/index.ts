import {keysClient, plansClient, teamsClient, usersClient} from './accounts.js';
import {type ClientOptions, createCaller} from './caller.js';
import {daemonClient} from './daemon.js';
import {eventsClient} from './events.js';
import {faultsClient} from './faults.js';
import {inboxesClient} from './inboxes.js';
import {messagesClient} from './messages.js';
import {nodesClient} from './nodes.js';
import {refusalsClient} from './refusals.js';
import {templatesClient} from './templates.js';
import {webSessionsClient} from './web-sessions.js';
import {webhooksClient} from './webhooks.js';

/** The `/v1` API, noun by noun. */
export type Client = ReturnType<typeof apiClient>;

/** Of an answer that is no stream, so many bytes are read at most. */
export function apiClient(options: ClientOptions, maxAnswerBytes?: number) {
	const caller = createCaller(options, maxAnswerBytes);
	return {
		users: usersClient(caller),
		plans: plansClient(caller),
		keys: keysClient(caller),
		webSessions: webSessionsClient(caller),
		teams: teamsClient(caller),
		inboxes: inboxesClient(caller),
		messages: messagesClient(caller),
		templates: templatesClient(caller),
		webhooks: webhooksClient(caller),
		refusals: refusalsClient(caller),
		nodes: nodesClient(caller),
		faults: faultsClient(caller),
		events: eventsClient(caller),
		daemon: daemonClient(caller),
	};
}
