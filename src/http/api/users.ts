import {doneSchema} from '../../contract/common.js';
import {type Plan, plans} from '../../contract/constants.js';
import {
	createTokenSchema,
	createUserSchema,
	type PlanBody,
	planListSchema,
	tokenSchema,
	type UserBody,
	updateUserSchema,
	userListSchema,
	userSchema,
} from '../../contract/users.js';
import {planLimits} from '../../domain/accounts/plan.js';
import type {User} from '../../domain/accounts/user.js';
import type {Services} from '../services.js';
import type {Operation} from './operation.js';
import type {Routes} from './routing.js';

export const userOperations = {
	me: {
		route: 'GET /users/me',
		id: 'getMe',
		summary: 'Get the user of the caller',
		caller: 'keyOrToken',
		command: 'tinbox whoami',
		response: userSchema,
	},
	plans: {
		route: 'GET /plans',
		id: 'listPlans',
		summary: 'List the plans and their limits',
		caller: 'keyOrToken',
		command: 'tinbox plans',
		response: planListSchema,
	},
	create: {
		route: 'POST /users',
		id: 'createUser',
		summary: 'Create a user',
		caller: 'operator',
		body: createUserSchema,
		example: {name: 'Ann', email: 'ann@example.com'},
		command: 'tinbox users create ann@example.com --name Ann',
		status: 201,
		response: userSchema,
		errors: ['email_taken'],
		locationParam: 'userId',
	},
	list: {
		route: 'GET /users',
		id: 'listUsers',
		summary: 'List users',
		caller: 'operator',
		command: 'tinbox users list',
		response: userListSchema,
	},
	update: {
		route: 'PATCH /users/:userId',
		id: 'updateUser',
		summary: 'Update a user',
		description: 'Changes the name, the plan or both. Fields that are left out keep their values.',
		caller: 'operator',
		body: updateUserSchema,
		example: {plan: 'pro'},
		command: 'tinbox users update ann@example.com --plan pro',
		response: userSchema,
	},
	delete: {
		route: 'DELETE /users/:userId',
		id: 'deleteUser',
		summary: 'Delete a user',
		description:
			'Also deletes the inboxes, keys, webhooks and teams of the user. Tokens and keys of the user stop working immediately.',
		caller: 'operator',
		command: 'tinbox users delete ann@example.com',
		response: doneSchema,
	},
	createToken: {
		route: 'POST /users/:userId/tokens',
		id: 'createToken',
		summary: 'Create a token for a user',
		caller: 'operator',
		body: createTokenSchema,
		example: {expires_in: 86_400},
		command: 'tinbox users token ann@example.com',
		status: 201,
		response: tokenSchema,
	},
} as const satisfies Readonly<Record<string, Operation>>;

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
		const {token, expiresAt} = await credentials.issueToken(params.userId, body.expires_in);
		return {token, expires_at: expiresAt};
	});
}

function userBody({id, name, email, plan, createdAt}: User): UserBody {
	return {id, name, email, plan, created_at: createdAt};
}

export function planBody(plan: Plan): PlanBody {
	return {plan, ...planLimits[plan]};
}
