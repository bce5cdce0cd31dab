import type {DoneBody} from '../contract/common.js';
import type {
	CreatedKeyBody,
	CreateKey,
	CreateWebSessionLink,
	KeyListBody,
	WebSessionLinkBody,
	WebSessionListBody,
} from '../contract/keys.js';
import type {AcceptInvite, CreateInvite, CreateTeam, InviteBody, TeamBody} from '../contract/teams.js';
import type {
	CreateToken,
	CreateUser,
	PlanListBody,
	TokenBody,
	UpdateUser,
	UserBody,
	UserListBody,
} from '../contract/users.js';
import {type Caller, path} from './caller.js';

/** Users; needs the operator token. `me` is the user of the API key or token. */
export function usersClient({json}: Caller) {
	const auth = 'token';
	return {
		create: (body: CreateUser) => json<UserBody>({method: 'POST', path: path`/users`, auth, body}),
		list: () => json<UserListBody>({method: 'GET', path: path`/users`, auth}, {users: [{}]}),
		me: (auth: 'key' | 'token') => json<UserBody>({method: 'GET', path: path`/users/me`, auth}),
		update: (id: string, body: UpdateUser) => json<UserBody>({method: 'PATCH', path: path`/users/${id}`, auth, body}),
		delete: (id: string) => json<DoneBody>({method: 'DELETE', path: path`/users/${id}`, auth}),
		createToken: (id: string, body: CreateToken = {}) =>
			json<TokenBody>({method: 'POST', path: path`/users/${id}/tokens`, auth, body}),
	};
}

/** Plans and their limits. */
export function plansClient({json}: Caller) {
	return {
		list: () => json<PlanListBody>({method: 'GET', path: path`/plans`, auth: 'either'}, {plans: [{}]}),
	};
}

/** API keys of the user of the token. */
export function keysClient({json}: Caller) {
	const auth = 'token';
	return {
		create: (body: CreateKey = {}) => json<CreatedKeyBody>({method: 'POST', path: path`/inboxes/keys`, auth, body}),
		list: () => json<KeyListBody>({method: 'GET', path: path`/inboxes/keys`, auth}, {keys: [{}]}),
		revoke: (id: string) => json<DoneBody>({method: 'DELETE', path: path`/inboxes/keys/${id}`, auth}),
	};
}

/** Teams of the user of the token. */
export function teamsClient({json}: Caller) {
	const auth = 'token';
	return {
		create: (body: CreateTeam) => json<TeamBody>({method: 'POST', path: path`/teams`, auth, body}),
		list: () => json<readonly TeamBody[]>({method: 'GET', path: path`/teams`, auth}, [{members: [{}]}]),
		get: (id: string) => json<TeamBody>({method: 'GET', path: path`/teams/${id}`, auth}, {members: [{}]}),
		rename: (id: string, body: CreateTeam) => json<TeamBody>({method: 'PUT', path: path`/teams/${id}`, auth, body}),
		delete: (id: string) => json<DoneBody>({method: 'DELETE', path: path`/teams/${id}`, auth}),
		invite: (id: string, body: CreateInvite) =>
			json<InviteBody>({method: 'POST', path: path`/teams/${id}/invite`, auth, body}),
		accept: (body: AcceptInvite) => json<TeamBody>({method: 'POST', path: path`/teams/invites/accept`, auth, body}),
		removeMember: (id: string, userId: string) =>
			json<DoneBody>({method: 'DELETE', path: path`/teams/${id}/members/${userId}`, auth}),
	};
}

/** Sessions of browsers that are logged in to the web app. */
export function webSessionsClient({json}: Caller) {
	return {
		createLink: (body: CreateWebSessionLink = {}) =>
			json<WebSessionLinkBody>({method: 'POST', path: path`/web-sessions/links`, auth: 'key', body}),
		list: () =>
			json<WebSessionListBody>({method: 'GET', path: path`/web-sessions`, auth: 'either'}, {web_sessions: [{}]}),
		end: (id: string) => json<DoneBody>({method: 'DELETE', path: path`/web-sessions/${id}`, auth: 'either'}),
	};
}
