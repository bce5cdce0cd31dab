import {fieldsOf} from './answers.js';
import type {Plan} from './plans.js';

export type UserBody = {
	readonly id: string;
	readonly name: string;
	readonly email: string;
	readonly plan: Plan;
	readonly created_at: string;
};

export const userFields = fieldsOf<UserBody>()('id name email plan created_at');

export type UserListBody = {readonly users: readonly UserBody[]};

export type CreateUser = {
	readonly name: string;
	readonly email: string;
	/** Plan (default `free`). */
	readonly plan?: Plan | undefined;
};

export type UpdateUser = {readonly name?: string | undefined; readonly plan?: Plan | undefined};

export type CreateToken = {
	/** Lifetime of the token in seconds (default 30 days). */
	readonly expires_in?: number | undefined;
};

export type TokenBody = {readonly token: string; readonly expires_at: string};

export const tokenFields = fieldsOf<TokenBody>()('token expires_at');
