import type {Router} from '@koa/router';
import type {DoneBody} from '../../contract/answers.js';
import {type PlanListBody, plans} from '../../contract/plans.js';
import type {UserListBody} from '../../contract/users.js';
import {requireOperator, userByEither} from '../auth.js';
import {pathParam, readBody} from '../input.js';
import {planBody, tokenBody, userBody} from '../present/users.js';
import {createToken, createUser, updateUser} from '../schemas/users.js';
import type {Services} from '../services.js';

export function addUserRoutes(router: Router, {credentials, users}: Services): void {
	router.post('/users', async ctx => {
		await requireOperator(ctx, credentials);
		ctx.body = userBody(await users.create(await readBody(ctx, createUser)));
		ctx.status = 201;
	});

	router.get('/users', async ctx => {
		await requireOperator(ctx, credentials);
		ctx.body = {users: (await users.list()).map(userBody)} satisfies UserListBody;
	});

	router.get('/users/me', async ctx => {
		ctx.body = userBody(await userByEither(ctx, credentials));
	});

	router.get('/plans', async ctx => {
		await userByEither(ctx, credentials);
		ctx.body = {plans: plans.map(planBody)} satisfies PlanListBody;
	});

	router.patch('/users/:userId', async ctx => {
		await requireOperator(ctx, credentials);
		const {name, plan} = await readBody(ctx, updateUser);
		const patch = {...(name !== undefined && {name}), ...(plan !== undefined && {plan})};
		ctx.body = userBody(await users.update(pathParam(ctx, 'userId'), patch));
	});

	router.delete('/users/:userId', async ctx => {
		await requireOperator(ctx, credentials);
		await users.delete(pathParam(ctx, 'userId'));
		ctx.body = {message: 'The user is deleted, with all that was the user’s own.'} satisfies DoneBody;
	});

	router.post('/users/:userId/tokens', async ctx => {
		await requireOperator(ctx, credentials);
		const {expires_in} = await readBody(ctx, createToken);
		ctx.body = tokenBody(await credentials.issueToken(pathParam(ctx, 'userId'), expires_in));
		ctx.status = 201;
	});
}
