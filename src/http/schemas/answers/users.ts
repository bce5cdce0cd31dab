import {z} from 'zod';
import {plans} from '../../../contract/constants.js';
import type {PlanBody, PlanListBody, TokenBody, UserBody, UserListBody} from '../../../contract/users.js';
import {bodySchema} from '../body-schema.js';
import {amountField, timeField} from './fields.js';

export const userSchema = bodySchema<UserBody>()(
	'User',
	z.object({
		id: z.string().describe('Id of the user.'),
		name: z.string().describe('Name of the user.'),
		email: z.string().describe('Email address of the user.'),
		plan: z.enum(plans).describe('Plan of the user.'),
		created_at: timeField.describe('Time when the user was created.'),
	}),
);

export const userListSchema = bodySchema<UserListBody>()(
	'UserList',
	z.object({users: z.array(userSchema).describe('All users of the daemon.')}),
);

export const tokenSchema = bodySchema<TokenBody>()(
	'Token',
	z.object({
		token: z.string().describe('JWT for the header `Authorization: Bearer`.'),
		expires_at: timeField.describe('Time when the token expires.'),
	}),
);

const planSchema = bodySchema<PlanBody>()(
	'Plan',
	z.object({
		plan: z.enum(plans).describe('Name of the plan.'),
		teams: amountField.nullable().describe('Maximum number of teams that a user owns; null for unlimited.'),
		members: amountField
			.nullable()
			.describe('Maximum number of members of a team, counting the owner and open invites; null for unlimited.'),
		keys: amountField.nullable().describe('Maximum number of API keys of a user; null for unlimited.'),
	}),
);

export const planListSchema = bodySchema<PlanListBody>()(
	'PlanList',
	z.object({plans: z.array(planSchema).describe('Plans, from the smallest to the largest.')}),
);
