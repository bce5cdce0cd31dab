import {z} from 'zod';
import {plans} from '../../contract/plans.js';
import {emailField, lifetimeField, nameField} from './fields.js';

const planField = z.enum(plans);

export const createUser = z
	.strictObject({name: nameField, email: emailField, plan: planField.default('free')})
	.meta({id: 'CreateUser'});

export const updateUser = z
	.strictObject({name: nameField.optional(), plan: planField.optional()})
	.meta({id: 'UpdateUser'});

/** `expires_in` counts seconds; a month unless given. */
export const createToken = z.strictObject({expires_in: lifetimeField.default(30 * 86_400)}).meta({id: 'CreateToken'});
