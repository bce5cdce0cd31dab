import type {Operation} from '../operation.js';
import {createdInboxSchema, credentialsSchema, inboxListSchema, inboxSchema} from '../schemas/answers/inboxes.js';
import {createInbox, listInboxes, updateInbox} from '../schemas/inboxes.js';

const single = '/inboxes/:inboxId';

export const inboxOperations = {
	create: {
		at: 'POST /inboxes',
		id: 'createInbox',
		summary: 'Create an inbox',
		description:
			'`{}` makes one with a random address. `ttl` has it go with its mail after so many seconds; `*@domain` takes the mail of a whole domain, and `*` all mail that no other inbox takes.',
		caller: 'key',
		body: createInbox,
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
		summary: 'List the inboxes of the caller and of the caller’s teams',
		description: 'The newest first.',
		caller: 'key',
		query: listInboxes,
		command: 'tinbox inbox list',
		answer: inboxListSchema,
		ids: {inboxId: 'inboxes/0/id'},
	},
	get: {
		at: `GET ${single}`,
		id: 'getInbox',
		summary: 'Read an inbox',
		caller: 'key',
		command: 'tinbox inbox show signup',
		answer: inboxSchema,
	},
	update: {
		at: `PATCH ${single}`,
		id: 'updateInbox',
		summary: 'Change an inbox',
		caller: 'key',
		body: updateInbox,
		example: {name: 'login'},
		command: 'tinbox inbox update signup --name login',
		answer: inboxSchema,
		errors: ['forbidden'],
	},
	delete: {
		at: `DELETE ${single}`,
		id: 'deleteInbox',
		summary: 'Delete an inbox with its mail',
		caller: 'key',
		command: 'tinbox inbox delete signup',
	},
	credentials: {
		at: `GET ${single}/credentials`,
		id: 'getCredentials',
		summary: 'Read the login of an inbox',
		description: 'All mail of who logs in to SMTP with it goes into this inbox, whatever its recipients.',
		caller: 'key',
		command: 'tinbox inbox credentials signup',
		answer: credentialsSchema,
	},
	rotateCredentials: {
		at: `POST ${single}/credentials/rotate`,
		id: 'rotateCredentials',
		summary: 'Give an inbox another login',
		caller: 'key',
		command: 'tinbox inbox credentials signup --rotate',
		answer: credentialsSchema,
	},
} as const satisfies Readonly<Record<string, Operation>>;
