import type {DoneBody} from '../contract/done.js';
import type {CreateToken, CreateUser, TokenBody, UpdateUser, UserBody, UserListBody} from '../contract/users.js';
import {path} from './path.js';
import type {Request} from './request.js';

/** Users, with the operator token. `me` is whoever the API key or the token belongs to. */
export function usersClient({json}: Request) {
	const auth = 'token';
	return {
		create: (body: CreateUser) => json<UserBody>({method: 'POST', path: path`/users`, auth, body}),
		list: () => json<UserListBody>({method: 'GET', path: path`/users`, auth}),
		me: (auth: 'key' | 'token') => json<UserBody>({method: 'GET', path: path`/users/me`, auth}),
		update: (id: string, body: UpdateUser) => json<UserBody>({method: 'PATCH', path: path`/users/${id}`, auth, body}),
		delete: (id: string) => json<DoneBody>({method: 'DELETE', path: path`/users/${id}`, auth}),
		createToken: (id: string, body: CreateToken = {}) =>
			json<TokenBody>({method: 'POST', path: path`/users/${id}/tokens`, auth, body}),
	};
}
