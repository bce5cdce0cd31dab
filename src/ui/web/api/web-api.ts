import {daemonClient} from '../../../client/daemon.js';
import {eventsClient} from '../../../client/events.js';
import {faultsClient} from '../../../client/faults.js';
import {inboxesClient} from '../../../client/inboxes.js';
import {messagesClient} from '../../../client/messages.js';
import {webhooksClient} from '../../../client/webhooks.js';
import {fetchCaller} from './fetch-caller.js';
import {sessionClient} from './session.js';

export type WebApi = ReturnType<typeof webApi>;

/** What the page asks of the daemon: the same clients as those of other programs, by way of `fetch`. */
export function webApi(onUnauthorized: () => Promise<void>) {
	const caller = fetchCaller(onUnauthorized);
	return {
		session: sessionClient,
		daemon: daemonClient(caller),
		inboxes: inboxesClient(caller),
		messages: messagesClient(caller),
		faults: faultsClient(caller),
		webhooks: webhooksClient(caller),
		events: eventsClient(caller),
	};
}
