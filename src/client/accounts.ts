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
import {type Caller, jsonRequests, path} from './caller.js';

/** Users; needs the operator token. `me` is the user of the API key or token. */
export function usersClient(caller: Caller) {
	const {get, post, patch, remove} = jsonRequests(caller, 'token');
	return {
		create: (body: CreateUser) => post<UserBody>(path`/users`, {body}),
		list: () => get<UserListBody>(path`/users`, {shape: {users: [{}]}}),
		me: (auth: 'key' | 'token') => get<UserBody>(path`/users/me`, {auth}),
		update: (id: string, body: UpdateUser) => patch<UserBody>(path`/users/${id}`, {body}),
		delete: (id: string) => remove<DoneBody>(path`/users/${id}`),
		createToken: (id: string, body: CreateToken = {}) => post<TokenBody>(path`/users/${id}/tokens`, {body}),
	};
}

/** Plans and their limits. */
export function plansClient(caller: Caller) {
	const {get} = jsonRequests(caller, 'either');
	return {
		list: () => get<PlanListBody>(path`/plans`, {shape: {plans: [{}]}}),
	};
}

/** API keys of the user of the token. */
export function keysClient(caller: Caller) {
	const {get, post, remove} = jsonRequests(caller, 'token');
	return {
		create: (body: CreateKey = {}) => post<CreatedKeyBody>(path`/inboxes/keys`, {body}),
		list: () => get<KeyListBody>(path`/inboxes/keys`, {shape: {keys: [{}]}}),
		revoke: (id: string) => remove<DoneBody>(path`/inboxes/keys/${id}`),
	};
}

/** Teams of the user of the token. */
export function teamsClient(caller: Caller) {
	const {get, post, put, remove} = jsonRequests(caller, 'token');
	return {
		create: (body: CreateTeam) => post<TeamBody>(path`/teams`, {body}),
		list: () => get<readonly TeamBody[]>(path`/teams`, {shape: [{members: [{}]}]}),
		get: (id: string) => get<TeamBody>(path`/teams/${id}`, {shape: {members: [{}]}}),
		rename: (id: string, body: CreateTeam) => put<TeamBody>(path`/teams/${id}`, {body}),
		delete: (id: string) => remove<DoneBody>(path`/teams/${id}`),
		invite: (id: string, body: CreateInvite) => post<InviteBody>(path`/teams/${id}/invite`, {body}),
		accept: (body: AcceptInvite) => post<TeamBody>(path`/teams/invites/accept`, {body}),
		removeMember: (id: string, userId: string) => remove<DoneBody>(path`/teams/${id}/members/${userId}`),
	};
}

/** Sessions of browsers that are logged in to the web app. */
export function webSessionsClient(caller: Caller) {
	const {get, post, remove} = jsonRequests(caller, 'either');
	return {
		createLink: (body: CreateWebSessionLink = {}) =>
			post<WebSessionLinkBody>(path`/web-sessions/links`, {auth: 'key', body}),
		list: () => get<WebSessionListBody>(path`/web-sessions`, {shape: {web_sessions: [{}]}}),
		end: (id: string) => remove<DoneBody>(path`/web-sessions/${id}`),
	};
}
