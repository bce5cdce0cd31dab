import {keyOperations} from '../operations/keys.js';
import {createdKeyBody, keyBody} from '../present/keys.js';
import type {Routes} from '../routing.js';
import type {Services} from '../services.js';

export function addKeyRoutes(routes: Routes, {keys}: Services): void {
	routes.add(keyOperations.create, async ({user, body}) => createdKeyBody(await keys.create(user, body.name)));

	routes.addList(keyOperations.list, async ({user}) => keys.list(user), {
		bodyOf: async row => keyBody(row),
		wrap: list => ({keys: list}),
	});

	routes.add(keyOperations.revoke, async ({user, params}) => {
		await keys.revoke(user, params.keyId);
		return {message: 'The API key was revoked permanently.'};
	});
}
