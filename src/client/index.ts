import {keysClient, plansClient, teamsClient, usersClient, webSessionsClient} from './accounts.js';
import {type ClientOptions, createCaller} from './caller.js';
import {daemonClient, nodesClient, refusalsClient} from './daemon.js';
import {eventsClient} from './events.js';
import {faultsClient} from './faults.js';
import {inboxesClient} from './inboxes.js';
import {messagesClient} from './messages.js';
import {templatesClient} from './sending.js';
import {webhooksClient} from './webhooks.js';

/** Client of the `/v1` API, with one property per noun. */
export type Client = ReturnType<typeof apiClient>;

/** Creates a client. `maxResponseBytes` limits responses that are not streams. */
export function apiClient(options: ClientOptions, maxResponseBytes?: number) {
	const caller = createCaller(options, maxResponseBytes);
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
