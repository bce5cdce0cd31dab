import {doneSchema} from '../../contract/common.js';
import {
	createdKeySchema,
	createKeySchema,
	createWebSessionLinkSchema,
	keyListSchema,
	webSessionLinkSchema,
	webSessionListSchema,
} from '../../contract/keys.js';
import type {Operation} from '../operation.js';

export const keyOperations = {
	create: {
		at: 'POST /inboxes/keys',
		id: 'createKey',
		summary: 'Create an API key',
		description: 'The response contains the full key. It cannot be retrieved again.',
		caller: 'token',
		body: createKeySchema,
		example: {name: 'CI'},
		command: 'tinbox keys create --name CI',
		status: 201,
		answer: createdKeySchema,
		errors: ['plan_limit', 'rate_limited'],
		created: 'keyId',
	},
	list: {
		at: 'GET /inboxes/keys',
		id: 'listKeys',
		summary: 'List the API keys of the caller',
		description: 'Only the prefix of each key is returned.',
		caller: 'token',
		command: 'tinbox keys list',
		answer: keyListSchema,
	},
	revoke: {
		at: 'DELETE /inboxes/keys/:keyId',
		id: 'revokeKey',
		summary: 'Revoke an API key',
		description: 'Revocation is permanent. Later requests with the key get 401.',
		caller: 'token',
		command: 'tinbox keys revoke <key>',
		answer: doneSchema,
	},
} as const satisfies Readonly<Record<string, Operation>>;

export const webSessionOperations = {
	createLink: {
		at: 'POST /web-sessions/links',
		id: 'createWebSessionLink',
		summary: 'Create a login link for the web app',
		description: 'The link works once and expires after a minute. It can open an inbox or a message.',
		caller: 'key',
		body: createWebSessionLinkSchema,
		example: {},
		command: 'tinbox open',
		status: 201,
		answer: webSessionLinkSchema,
		errors: ['not_found', 'ambiguous', 'forbidden', 'rate_limited'],
	},
	list: {
		at: 'GET /web-sessions',
		id: 'listWebSessions',
		summary: 'List the web app sessions of the caller',
		description: 'Each session is a browser that is logged in to the web app.',
		caller: 'keyOrToken',
		command: 'tinbox keys list',
		answer: webSessionListSchema,
		ids: {sessionId: 'web_sessions/0/id'},
	},
	end: {
		at: 'DELETE /web-sessions/:sessionId',
		id: 'endWebSession',
		summary: 'End a web app session',
		description: 'The browser of the session is logged out.',
		caller: 'keyOrToken',
		command: 'tinbox keys revoke <session>',
		answer: doneSchema,
	},
} as const satisfies Readonly<Record<string, Operation>>;
