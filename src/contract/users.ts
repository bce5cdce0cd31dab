import {z} from 'zod';
import {emailField, lifetimeField, nameField} from './fields.js';

const planField = z.enum(['free', 'starter', 'pro', 'business']);

export type UserBody = {
	readonly id: string;
	readonly name: string;
	readonly email: string;
	readonly plan: z.infer<typeof planField>;
	readonly created_at: string;
};

export type UserListBody = {readonly users: readonly UserBody[]};

export const createUser = z.strictObject({name: nameField, email: emailField, plan: planField.default('free')});
export type CreateUser = z.input<typeof createUser>;

export const updateUser = z.strictObject({name: nameField.optional(), plan: planField.optional()});
export type UpdateUser = z.input<typeof updateUser>;

/** `expires_in` counts seconds; a month unless given. */
export const createToken = z.strictObject({expires_in: lifetimeField.default(30 * 86_400)});
export type CreateToken = z.input<typeof createToken>;

export type TokenBody = {readonly token: string; readonly expires_at: string};
