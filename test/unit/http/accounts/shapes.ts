import {expect} from 'vitest';
import type {ErrorCode} from '../../../../src/domain/errors.js';

export const text = expect.any(String);
export const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const uuid = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
export const done = {message: text};

export const userShape = {id: text, name: text, email: text, plan: text, created_at: time};
export const memberShape = {user_id: text, user_name: text, user_email: text, role: text, joined_at: time};
export const inviteShape = {id: text, token: text, email: text, role: text, expiresAt: time};
export const createdKeyShape = {
	id: uuid,
	name: text,
	key: expect.stringMatching(/^tbx_live_/),
	prefix: expect.stringMatching(/^tbx_live_.{7}$/),
	created_at: time,
	message: expect.stringContaining('cannot be retrieved again'),
};
export const keyShape = {id: uuid, name: text, key_prefix: text, last_used_at: null, created_at: time};

/** Team with this number of members. */
export function teamOf(members: number) {
	return {
		id: text,
		name: text,
		owner_id: text,
		members: Array.from({length: members}, () => memberShape),
		created_at: time,
	};
}

export function problem(status: number, code: ErrorCode) {
	return {title: text, status, detail: expect.stringMatching(/^[A-Z"].*\.$/), code};
}

/** Problem with status 400 that names these fields. */
export function wrongFields(...fields: readonly string[]) {
	return {...problem(400, 'invalid_input'), errors: fields.map(field => ({field, message: text}))};
}
