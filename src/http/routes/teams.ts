import type {DoneBody} from '../../contract/answers.js';
import type {TeamBody} from '../../contract/teams.js';
import {userByToken} from '../auth.js';
import {inviteBody, teamBody} from '../present/teams.js';
import type {RoutesFor} from '../routing.js';
import {acceptInvite, createInvite, createTeam, renameTeam} from '../schemas/teams.js';
import type {Services} from '../services.js';

export function addTeamRoutes(routesFor: RoutesFor, {credentials, teams}: Services): void {
	const routes = routesFor(ctx => userByToken(ctx, credentials));
	routes.create('/teams', async ({user, readBody}) => {
		const {name} = await readBody(createTeam);
		return teamBody(await teams.create(user, name));
	});

	routes.list('/teams', async ({user}) => teams.list(user), {
		bodyOf: async row => teamBody(await teams.withUsers(row)),
		weightOf: ({members}) => members.length,
		wrap: (list): readonly TeamBody[] => list,
	});

	routes.get('/teams/:teamId', async ({user, params}) => teamBody(await teams.get(user, params.teamId)));

	routes.put('/teams/:teamId', async ({user, params, readBody}) => {
		const {name} = await readBody(renameTeam);
		return teamBody(await teams.rename(user, params.teamId, name));
	});

	routes.delete('/teams/:teamId', async ({user, params}) => {
		await teams.delete(user, params.teamId);
		return {message: 'The team is deleted. Its inboxes stay with those who made them.'} satisfies DoneBody;
	});

	routes.delete('/teams/:teamId/members/:userId', async ({user, params}) => {
		await teams.removeMember(user, params.teamId, params.userId);
		return {message: 'The member is removed from the team.'} satisfies DoneBody;
	});

	routes.create('/teams/:teamId/invite', async ({user, params, readBody}) => {
		return inviteBody(await teams.invite(user, params.teamId, await readBody(createInvite)));
	});

	routes.post('/teams/invites/accept', async ({user, readBody}) => {
		const {token} = await readBody(acceptInvite);
		return teamBody(await teams.accept(user, token));
	});
}
