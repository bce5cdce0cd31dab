import {doneSchema} from '../../contract/common.js';
import {
	acceptInviteSchema,
	createInviteSchema,
	createTeamSchema,
	inviteSchema,
	type TeamBody,
	teamListSchema,
	teamSchema,
} from '../../contract/teams.js';
import type {TeamWithUsers} from '../../services/accounts/teams.js';
import type {Services} from '../services.js';
import type {Operation} from './operation.js';
import type {Routes} from './routing.js';

export const teamOperations = {
	create: {
		route: 'POST /teams',
		id: 'createTeam',
		summary: 'Create a team',
		description: 'The caller becomes the owner of the team.',
		caller: 'token',
		body: createTeamSchema,
		example: {name: 'Shop'},
		command: 'tinbox teams create Shop',
		status: 201,
		response: teamSchema,
		errors: ['plan_limit'],
		locationParam: 'teamId',
	},
	list: {
		route: 'GET /teams',
		id: 'listTeams',
		summary: 'List the teams of the caller',
		description: 'Returns all teams that the caller owns or is a member of.',
		caller: 'token',
		command: 'tinbox teams list',
		response: teamListSchema,
		responseIds: {teamId: '0/id'},
	},
	get: {
		route: 'GET /teams/:teamId',
		id: 'getTeam',
		summary: 'Get a team',
		description: 'Only for members of the team.',
		caller: 'token',
		command: 'tinbox teams show Shop',
		response: teamSchema,
		errors: ['forbidden'],
	},
	rename: {
		route: 'PUT /teams/:teamId',
		id: 'renameTeam',
		summary: 'Rename a team',
		description: 'Only for the owner.',
		caller: 'token',
		body: createTeamSchema,
		example: {name: 'Web shop'},
		command: "tinbox teams rename Shop 'Web shop'",
		response: teamSchema,
		errors: ['forbidden'],
	},
	delete: {
		route: 'DELETE /teams/:teamId',
		id: 'deleteTeam',
		summary: 'Delete a team',
		description: 'Only for the owner. The inboxes of the team are kept and belong to the users who created them.',
		caller: 'token',
		command: 'tinbox teams delete Shop',
		response: doneSchema,
		errors: ['forbidden'],
	},
	removeMember: {
		route: 'DELETE /teams/:teamId/members/:userId',
		id: 'removeMember',
		summary: 'Remove a member from a team',
		description: 'Only for the owner and admins. The owner cannot be removed.',
		caller: 'token',
		command: 'tinbox teams remove Shop bob@example.com',
		response: doneSchema,
		errors: ['forbidden', 'owner_required'],
	},
	invite: {
		route: 'POST /teams/:teamId/invite',
		id: 'inviteMember',
		summary: 'Invite a user to a team',
		description: 'Only for the owner and admins. The invite expires after 7 days.',
		caller: 'token',
		body: createInviteSchema,
		example: {email: 'bob@example.com'},
		command: 'tinbox teams invite Shop bob@example.com',
		status: 201,
		response: inviteSchema,
		errors: ['forbidden', 'plan_limit', 'already_member', 'invite_open'],
	},
	accept: {
		route: 'POST /teams/invites/accept',
		id: 'acceptInvite',
		summary: 'Accept an invite',
		description: 'The email address of the caller must be the invited one. An invite can be accepted once.',
		caller: 'token',
		body: acceptInviteSchema,
		example: {token: 'the-token-of-the-invite'},
		command: 'tinbox teams accept the-token-of-the-invite',
		response: teamSchema,
		errors: ['invalid_invite', 'forbidden', 'plan_limit', 'already_member'],
		responseIds: {teamId: 'id'},
	},
} as const satisfies Readonly<Record<string, Operation>>;

export function addTeamRoutes(routes: Routes, {teams}: Services): void {
	routes.add(teamOperations.create, async ({user, body}) => teamBody(await teams.create(user, body.name)));

	routes.addList(teamOperations.list, async ({user}) => teams.list(user), {
		bodyOf: async row => teamBody(await teams.withUsers(row)),
		weightOf: ({members}) => members.length,
		wrap: list => list,
	});

	routes.add(teamOperations.get, async ({user, params}) => teamBody(await teams.get(user, params.teamId)));

	routes.add(teamOperations.rename, async ({user, params, body}) => {
		return teamBody(await teams.rename(user, params.teamId, body.name));
	});

	routes.add(teamOperations.delete, async ({user, params}) => {
		await teams.delete(user, params.teamId);
		return {message: 'The team was deleted. Its inboxes stay with the users who created them.'};
	});

	routes.add(teamOperations.removeMember, async ({user, params}) => {
		await teams.removeMember(user, params.teamId, params.userId);
		return {message: 'The member was removed from the team.'};
	});

	routes.add(teamOperations.invite, async ({user, params, body}) => {
		const {invite, token} = await teams.invite(user, params.teamId, body);
		const {id, email, role, expiresAt} = invite;
		return {id, token, email, role, expiresAt};
	});

	routes.add(teamOperations.accept, async ({user, body}) => teamBody(await teams.accept(user, body.token)));
}

function teamBody({team, members}: TeamWithUsers): TeamBody {
	return {
		id: team.id,
		name: team.name,
		owner_id: team.ownerId,
		members: members.map(({member, user}) => ({
			user_id: user.id,
			user_name: user.name,
			user_email: user.email,
			role: member.role,
			joined_at: member.joinedAt,
		})),
		created_at: team.createdAt,
	};
}
