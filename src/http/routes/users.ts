import type {DoneBody} from '../../contract/answers.js';
import {type PlanListBody, plans} from '../../contract/plans.js';
import type {UserListBody} from '../../contract/users.js';
import {requireOperator, userByEither} from '../auth.js';
import {planBody, tokenBody, userBody} from '../present/users.js';
import type {RoutesFor} from '../routing.js';
import {createToken, createUser, updateUser} from '../schemas/users.js';
import type {Services} from '../services.js';

export function addUserRoutes(routesFor: RoutesFor, {credentials, users}: Services): void {
	const anybodys = routesFor(ctx => userByEither(ctx, credentials));
	anybodys.get('/users/me', async ({user}) => userBody(user));
	anybodys.get('/plans', async () => ({plans: plans.map(planBody)}) satisfies PlanListBody);

	const operators = routesFor(ctx => requireOperator(ctx, credentials));
	operators.create('/users', async ({readBody}) => userBody(await users.create(await readBody(createUser))));
	operators.list('/users', async () => users.list(), {
		bodyOf: async row => userBody(row),
		wrap: list => ({users: list}) satisfies UserListBody,
	});

	operators.patch('/users/:userId', async ({params, readBody}) => {
		return userBody(await users.update(params.userId, await readBody(updateUser)));
	});

	operators.delete('/users/:userId', async ({params}) => {
		await users.delete(params.userId);
		return {message: 'The user is deleted, with all that was the user’s own.'} satisfies DoneBody;
	});

	operators.create('/users/:userId/tokens', async ({params, readBody}) => {
		const {expires_in} = await readBody(createToken);
		return tokenBody(await credentials.issueToken(params.userId, expires_in));
	});
}
