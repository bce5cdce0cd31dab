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
	group('Inboxes', 'Disposable inboxes: each has its own address and keeps the mail sent to it.', inboxOperations),
	group('Messages', 'Mail in an inbox: list, wait for, read, import and delete messages.', messageOperations),
	group(
		'Sending',
		'Sending mail over HTTP. The APIs of Resend, Amazon SES, SendGrid, Postmark and Mailgun are served below `/send/<provider>`, each as its provider documents it.',
		sendingOperations,
	),
	group(
		'Faults',
		'Rules that make mail fail on purpose, to test how an app handles errors and retries.',
		faultOperations.ofInbox,
		faultOperations.ofDaemon,
	),
	group(
		'Webhooks',
		'Endpoints that receive an HTTP request for each event, such as a new message, and the log of these requests.',
		webhookOperations,
	),
	group('Templates', 'Templates that the sending APIs use to fill in mail.', templateOperations),
	group('Events', 'Live stream of changes.', eventOperations),
	group('Keys', 'API keys, and sessions of the web app.', keyOperations, webSessionOperations),
	group('Teams', 'Users who share inboxes.', teamOperations),
	group('Users', 'Users of the daemon, their plans and their tokens.', userOperations),
	group(
		'Previews',
		'Pages that show a message in a browser. The link contains a secret token: anyone who has it can read the message.',
		previewOperations,
	),
	group('Daemon', 'State and settings of the daemon.', daemonOperations),
];
