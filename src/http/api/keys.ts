import {doneSchema} from '../../contract/common.js';
import {createdKeySchema, createKeySchema, keyListSchema} from '../../contract/keys.js';
import type {Services} from '../services.js';
import type {Operation} from './operation.js';
import type {Routes} from './routing.js';

export const keyOperations = {
	create: {
		route: 'POST /inboxes/keys',
		id: 'createKey',
		summary: 'Create an API key',
		description: 'The response contains the full key. It cannot be retrieved again.',
		caller: 'token',
		body: createKeySchema,
		example: {name: 'CI'},
		command: 'tinbox keys create --name CI',
		status: 201,
		response: createdKeySchema,
		errors: ['plan_limit', 'rate_limited'],
		locationParam: 'keyId',
	},
	list: {
		route: 'GET /inboxes/keys',
		id: 'listKeys',
		summary: 'List the API keys of the caller',
		description: 'Only the prefix of each key is returned.',
		caller: 'token',
		command: 'tinbox keys list',
		response: keyListSchema,
	},
	revoke: {
		route: 'DELETE /inboxes/keys/:keyId',
		id: 'revokeKey',
		summary: 'Revoke an API key',
		description: 'Revocation is permanent. Later requests with the key get 401.',
		caller: 'token',
		command: 'tinbox keys revoke <key>',
		response: doneSchema,
	},
} as const satisfies Readonly<Record<string, Operation>>;

export function addKeyRoutes(routes: Routes, {keys}: Services): void {
	routes.add(keyOperations.create, async ({user, body}) => {
		const {key, raw} = await keys.create(user, body.name);
		const {id, name, prefix, createdAt} = key;
		const message = 'Store this key now. It cannot be retrieved again.';
		return {id, name, key: raw, prefix, created_at: createdAt, message};
	});

	routes.addList(keyOperations.list, async ({user}) => keys.list(user), {
		bodyOf: async ({id, name, prefix, lastUsedAt, createdAt}) => {
			return {id, name, key_prefix: prefix, last_used_at: lastUsedAt, created_at: createdAt};
		},
		wrap: list => ({keys: list}),
	});

	routes.add(keyOperations.revoke, async ({user, params}) => {
		await keys.revoke(user, params.keyId);
		return {message: 'The API key was revoked permanently.'};
	});
}
