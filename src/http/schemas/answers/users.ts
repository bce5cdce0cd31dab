import {z} from 'zod';
import {type PlanBody, type PlanListBody, plans} from '../../../contract/plans.js';
import type {TokenBody, UserBody, UserListBody} from '../../../contract/users.js';
import {bodySchema} from '../body-schema.js';
import {amountField, timeField} from './fields.js';

export const userSchema = bodySchema<UserBody>()(
	'User',
	z.object({id: z.string(), name: z.string(), email: z.string(), plan: z.enum(plans), created_at: timeField}),
);

export const userListSchema = bodySchema<UserListBody>()('UserList', z.object({users: z.array(userSchema)}));

export const tokenSchema = bodySchema<TokenBody>()(
	'Token',
	z.object({token: z.string().describe('A JWT, for `Authorization: Bearer`.'), expires_at: timeField}),
);

const planSchema = bodySchema<PlanBody>()(
	'Plan',
	z.object({
		plan: z.enum(plans),
		teams: amountField.nullable().describe('Teams that a user may own; null is any number.'),
		members: amountField
			.nullable()
			.describe('Members of one team: its owner, the other members and the open invites; null is any number.'),
		keys: amountField.nullable().describe('API keys of a user; null is any number.'),
	}),
);

export const planListSchema = bodySchema<PlanListBody>()('PlanList', z.object({plans: z.array(planSchema)}));
