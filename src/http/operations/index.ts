import type {Operation} from '../operation.js';
import {daemonOperations} from './daemon.js';
import {eventOperations} from './events.js';
import {faultOperations} from './faults.js';
import {inboxOperations} from './inboxes.js';
import {keyOperations, webSessionOperations} from './keys.js';
import {messageOperations} from './messages.js';
import {previewOperations} from './previews.js';
import {sendingOperations} from './sending.js';
import {teamOperations} from './teams.js';
import {templateOperations} from './templates.js';
import {userOperations} from './users.js';
import {webhookOperations} from './webhooks.js';

/** Operations about one noun, which the document shows together. */
export type OperationGroup = {
	readonly name: string;
	readonly description: string;
	readonly operations: readonly Operation[];
};

type Operations = Readonly<Record<string, Operation>>;

function group(name: string, description: string, ...all: readonly Operations[]): OperationGroup {
	return {name, description, operations: all.flatMap(some => Object.values(some))};
}

/** Every route of `/v1`. */
export const operationGroups: readonly OperationGroup[] = [
	group('Inboxes', 'Addresses that take mail.', inboxOperations),
	group('Messages', 'What came into an inbox, and waiting for it.', messageOperations),
	group(
		'Sending',
		'Mail by HTTP. The APIs of Resend, Amazon SES, SendGrid, Postmark and Mailgun are served below `/send/<provider>`, each as its provider documents it.',
		sendingOperations,
	),
	group('Faults', 'Mail that goes wrong on purpose.', faultOperations.ofInbox, faultOperations.ofDaemon),
	group('Webhooks', 'Requests that announce new messages to an app.', webhookOperations),
	group('Templates', 'What mail of sending APIs is filled in from.', templateOperations),
	group('Events', 'All that changes, live.', eventOperations),
	group('Keys', 'API keys, and browsers that are logged in.', keyOperations, webSessionOperations),
	group('Teams', 'Users who share inboxes.', teamOperations),
	group('Users', 'Who uses the daemon, and what for.', userOperations),
	group('Previews', 'Pages that show a message in a browser. Their address is what opens them.', previewOperations),
	group('Daemon', 'What the daemon tells of itself.', daemonOperations),
];
