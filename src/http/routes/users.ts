import {plans} from '../../contract/constants.js';
import {userOperations} from '../operations/users.js';
import {planBody, tokenBody, userBody} from '../present/users.js';
import type {Routes} from '../routing.js';
import type {Services} from '../services.js';

export function addUserRoutes(routes: Routes, {credentials, users}: Services): void {
	routes.add(userOperations.me, async ({user}) => userBody(user));
	routes.add(userOperations.plans, async () => ({plans: plans.map(planBody)}));

	routes.add(userOperations.create, async ({body}) => userBody(await users.create(body)));
	routes.addList(userOperations.list, async () => users.list(), {
		bodyOf: async row => userBody(row),
		wrap: list => ({users: list}),
	});

	routes.add(userOperations.update, async ({params, body}) => userBody(await users.update(params.userId, body)));

	routes.add(userOperations.delete, async ({params}) => {
		await users.delete(params.userId);
		return {message: 'The user and everything the user owned were deleted.'};
	});

	routes.add(userOperations.createToken, async ({params, body}) => {
		return tokenBody(await credentials.issueToken(params.userId, body.expires_in));
	});
}
