import {teamOperations} from '../operations/teams.js';
import {inviteBody, teamBody} from '../present/teams.js';
import type {Routes} from '../routing.js';
import type {Services} from '../services.js';

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
		return inviteBody(await teams.invite(user, params.teamId, body));
	});

	routes.add(teamOperations.accept, async ({user, body}) => teamBody(await teams.accept(user, body.token)));
}
