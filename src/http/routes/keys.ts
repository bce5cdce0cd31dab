import type {DoneBody} from '../../contract/answers.js';
import type {KeyListBody} from '../../contract/keys.js';
import {userByToken} from '../auth.js';
import {createdKeyBody, keyBody} from '../present/keys.js';
import type {RoutesFor} from '../routing.js';
import {createKey} from '../schemas/keys.js';
import type {Services} from '../services.js';

export function addKeyRoutes(routesFor: RoutesFor, {credentials, keys}: Services): void {
	const routes = routesFor(ctx => userByToken(ctx, credentials));
	routes.create('/inboxes/keys', async ({user, readBody}) => {
		const {name} = await readBody(createKey);
		return createdKeyBody(await keys.create(user, name));
	});

	routes.list('/inboxes/keys', async ({user}) => keys.list(user), {
		bodyOf: async row => keyBody(row),
		wrap: list => ({keys: list}) satisfies KeyListBody,
	});

	routes.delete('/inboxes/keys/:keyId', async ({user, params}) => {
		await keys.revoke(user, params.keyId);
		return {message: 'The API key is revoked for good.'} satisfies DoneBody;
	});
}
