import {z} from 'zod';
import {
	amountField,
	type Body,
	emailField,
	type Input,
	lifetimeField,
	nameField,
	requestObject,
	responseObject,
	timeField,
} from './common.js';
import {plans} from './constants.js';

const planField = z.enum(plans);

/** User of the daemon. */
export const userSchema = responseObject('User', {
	id: z.string().describe('Id of the user.'),
	name: z.string().describe('Name of the user.'),
	email: z.string().describe('Email address of the user.'),
	plan: planField.describe('Plan of the user.'),
	created_at: timeField.describe('Time when the user was created.'),
});

export type UserBody = Body<typeof userSchema>;

export const userListSchema = responseObject('UserList', {
	users: z.array(userSchema).describe('All users of the daemon.'),
});

export type UserListBody = Body<typeof userListSchema>;

/** User to create. */
export const createUserSchema = requestObject('CreateUser', {
	name: nameField.describe('Name of the user, 1 to 100 characters.'),
	email: emailField.describe('Email address of the user; unique on this daemon.'),
	plan: planField.default('free').describe('Plan of the user (default `free`).'),
});

export type CreateUser = Input<typeof createUserSchema>;

/** Changes of a user. Fields that are left out keep their values. */
export const updateUserSchema = requestObject('UpdateUser', {
	name: nameField.optional().describe('Name of the user, 1 to 100 characters.'),
	plan: planField.optional().describe('Plan of the user.'),
});

export type UpdateUser = Input<typeof updateUserSchema>;

/** Token to create for a user. */
export const createTokenSchema = requestObject('CreateToken', {
	expires_in: lifetimeField.default(30 * 86_400).describe('Lifetime of the token in seconds (default 30 days).'),
});

export type CreateToken = Input<typeof createTokenSchema>;

/** Created token; only this response contains it. */
export const tokenSchema = responseObject('Token', {
	token: z.string().describe('JWT for the header `Authorization: Bearer`.'),
	expires_at: timeField.describe('Time when the token expires.'),
});

export type TokenBody = Body<typeof tokenSchema>;

/** Limits of a plan. */
const planSchema = responseObject('Plan', {
	plan: planField.describe('Name of the plan.'),
	teams: amountField.nullable().describe('Maximum number of teams that a user owns; null for unlimited.'),
	members: amountField
		.nullable()
		.describe('Maximum number of members of a team, counting the owner and open invites; null for unlimited.'),
	keys: amountField.nullable().describe('Maximum number of API keys of a user; null for unlimited.'),
});

export type PlanBody = Body<typeof planSchema>;

export const planListSchema = responseObject('PlanList', {
	plans: z.array(planSchema).describe('Plans, from the smallest to the largest.'),
});

export type PlanListBody = Body<typeof planListSchema>;
