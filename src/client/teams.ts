import type {DoneBody} from '../contract/done.js';
import type {AcceptInvite, CreateInvite, CreateTeam, InviteBody, TeamBody} from '../contract/teams.js';
import {path} from './path.js';
import type {Request} from './request.js';

/** The teams of the user whom the token names. */
export function teamsClient({json}: Request) {
	const auth = 'token';
	return {
		create: (body: CreateTeam) => json<TeamBody>({method: 'POST', path: path`/teams`, auth, body}),
		list: () => json<readonly TeamBody[]>({method: 'GET', path: path`/teams`, auth}),
		get: (id: string) => json<TeamBody>({method: 'GET', path: path`/teams/${id}`, auth}),
		rename: (id: string, body: CreateTeam) => json<TeamBody>({method: 'PUT', path: path`/teams/${id}`, auth, body}),
		delete: (id: string) => json<DoneBody>({method: 'DELETE', path: path`/teams/${id}`, auth}),
		invite: (id: string, body: CreateInvite) =>
			json<InviteBody>({method: 'POST', path: path`/teams/${id}/invite`, auth, body}),
		accept: (body: AcceptInvite) => json<TeamBody>({method: 'POST', path: path`/teams/invites/accept`, auth, body}),
		removeMember: (id: string, userId: string) =>
			json<DoneBody>({method: 'DELETE', path: path`/teams/${id}/members/${userId}`, auth}),
	};
}
