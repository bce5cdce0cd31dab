import {z} from 'zod';
import {plans} from '../../contract/constants.js';
import {emailField, lifetimeField, nameField} from './fields.js';

const planField = z.enum(plans);

export const createUser = z
	.strictObject({
		name: nameField.describe('Name of the user, 1 to 100 characters.'),
		email: emailField.describe('Email address of the user; unique on this daemon.'),
		plan: planField.default('free').describe('Plan of the user (default `free`).'),
	})
	.meta({id: 'CreateUser'});

export const updateUser = z
	.strictObject({
		name: nameField.optional().describe('Name of the user, 1 to 100 characters.'),
		plan: planField.optional().describe('Plan of the user.'),
	})
	.meta({id: 'UpdateUser'});

export const createToken = z
	.strictObject({
		expires_in: lifetimeField.default(30 * 86_400).describe('Lifetime of the token in seconds (default 30 days).'),
	})
	.meta({id: 'CreateToken'});
