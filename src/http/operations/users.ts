import type {Operation} from '../operation.js';
import {doneSchema} from '../schemas/answers/daemon.js';
import {planListSchema, tokenSchema, userListSchema, userSchema} from '../schemas/answers/users.js';
import {createToken, createUser, updateUser} from '../schemas/users.js';

export const userOperations = {
	me: {
		at: 'GET /users/me',
		id: 'getMe',
		summary: 'Get the user of the caller',
		caller: 'keyOrToken',
		command: 'tinbox whoami',
		answer: userSchema,
	},
	plans: {
		at: 'GET /plans',
		id: 'listPlans',
		summary: 'List the plans and their limits',
		caller: 'keyOrToken',
		command: 'tinbox plans',
		answer: planListSchema,
	},
	create: {
		at: 'POST /users',
		id: 'createUser',
		summary: 'Create a user',
		caller: 'operator',
		body: createUser,
		example: {name: 'Ann', email: 'ann@example.com'},
		command: 'tinbox users create ann@example.com --name Ann',
		status: 201,
		answer: userSchema,
		errors: ['email_taken'],
		created: 'userId',
	},
	list: {
		at: 'GET /users',
		id: 'listUsers',
		summary: 'List users',
		caller: 'operator',
		command: 'tinbox users list',
		answer: userListSchema,
	},
	update: {
		at: 'PATCH /users/:userId',
		id: 'updateUser',
		summary: 'Update a user',
		description: 'Changes the name, the plan or both. Fields that are left out keep their values.',
		caller: 'operator',
		body: updateUser,
		example: {plan: 'pro'},
		command: 'tinbox users update ann@example.com --plan pro',
		answer: userSchema,
	},
	delete: {
		at: 'DELETE /users/:userId',
		id: 'deleteUser',
		summary: 'Delete a user',
		description:
			'Also deletes the inboxes, keys, webhooks and teams of the user. Tokens and keys of the user stop working immediately.',
		caller: 'operator',
		command: 'tinbox users delete ann@example.com',
		answer: doneSchema,
	},
	createToken: {
		at: 'POST /users/:userId/tokens',
		id: 'createToken',
		summary: 'Create a token for a user',
		caller: 'operator',
		body: createToken,
		example: {expires_in: 86_400},
		command: 'tinbox users token ann@example.com',
		status: 201,
		answer: tokenSchema,
	},
} as const satisfies Readonly<Record<string, Operation>>;
