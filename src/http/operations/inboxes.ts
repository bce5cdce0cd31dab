import {
	createdInboxSchema,
	createInboxSchema,
	credentialsSchema,
	inboxListSchema,
	inboxSchema,
	listInboxesSchema,
	updateInboxSchema,
} from '../../contract/inboxes.js';
import type {Operation} from '../operation.js';

const single = '/inboxes/:inboxId';

export const inboxOperations = {
	create: {
		at: 'POST /inboxes',
		id: 'createInbox',
		summary: 'Create an inbox',
		description:
			'The body `{}` creates an inbox with a random address. With `ttl`, the inbox and its mail are deleted after that many seconds. The address `*@domain` receives the mail of a whole domain; `*` receives all mail that no other inbox receives.',
		caller: 'key',
		body: createInboxSchema,
		example: {name: 'signup'},
		command: 'tinbox inbox create --name signup',
		status: 201,
		answer: createdInboxSchema,
		errors: ['not_found', 'forbidden', 'address_taken', 'limit_reached'],
		created: 'inboxId',
	},
	list: {
		at: 'GET /inboxes',
		id: 'listInboxes',
		summary: 'List inboxes',
		description: 'Returns the inboxes of the caller and of the caller’s teams, the newest first.',
		caller: 'key',
		query: listInboxesSchema,
		command: 'tinbox inbox list',
		answer: inboxListSchema,
		ids: {inboxId: 'inboxes/0/id'},
	},
	get: {
		at: `GET ${single}`,
		id: 'getInbox',
		summary: 'Get an inbox',
		caller: 'key',
		command: 'tinbox inbox show signup',
		answer: inboxSchema,
	},
	update: {
		at: `PATCH ${single}`,
		id: 'updateInbox',
		summary: 'Update an inbox',
		description: 'Fields that are left out keep their values.',
		caller: 'key',
		body: updateInboxSchema,
		example: {name: 'login'},
		command: 'tinbox inbox update signup --name login',
		answer: inboxSchema,
		errors: ['forbidden'],
	},
	delete: {
		at: `DELETE ${single}`,
		id: 'deleteInbox',
		summary: 'Delete an inbox and its mail',
		caller: 'key',
		command: 'tinbox inbox delete signup',
	},
	credentials: {
		at: `GET ${single}/credentials`,
		id: 'getCredentials',
		summary: 'Get the credentials of an inbox',
		description:
			'Returns the SMTP login and the send key. Mail sent with them is stored in this inbox, whatever its recipients are, unless the `routing` of the inbox is `recipients`.',
		caller: 'key',
		command: 'tinbox inbox credentials signup',
		answer: credentialsSchema,
	},
	rotateCredentials: {
		at: `POST ${single}/credentials/rotate`,
		id: 'rotateCredentials',
		summary: 'Replace the credentials of an inbox',
		description: 'Returns a new password and a new send key. The old ones stop working immediately.',
		caller: 'key',
		command: 'tinbox inbox credentials signup --rotate',
		answer: credentialsSchema,
	},
} as const satisfies Readonly<Record<string, Operation>>;
