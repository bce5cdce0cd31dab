import type {Router} from '@koa/router';
import type {DoneBody} from '../../contract/answers.js';
import type {TeamBody} from '../../contract/teams.js';
import {userByToken} from '../auth.js';
import {pathParam, readBody} from '../input.js';
import {inviteBody, teamBody} from '../present/teams.js';
import {acceptInvite, createInvite, createTeam, renameTeam} from '../schemas/teams.js';
import type {Services} from '../services.js';

export function addTeamRoutes(router: Router, {credentials, teams, invites}: Services): void {
	router.post('/teams', async ctx => {
		const user = await userByToken(ctx, credentials);
		const {name} = await readBody(ctx, createTeam);
		ctx.body = teamBody(await teams.create(user, name));
		ctx.status = 201;
	});

	router.get('/teams', async ctx => {
		const user = await userByToken(ctx, credentials);
		ctx.body = (await teams.list(user)).map(teamBody) satisfies readonly TeamBody[];
	});

	router.get('/teams/:teamId', async ctx => {
		const user = await userByToken(ctx, credentials);
		ctx.body = teamBody(await teams.get(user, pathParam(ctx, 'teamId')));
	});

	router.put('/teams/:teamId', async ctx => {
		const user = await userByToken(ctx, credentials);
		const {name} = await readBody(ctx, renameTeam);
		ctx.body = teamBody(await teams.rename(user, pathParam(ctx, 'teamId'), name));
	});

	router.delete('/teams/:teamId', async ctx => {
		const user = await userByToken(ctx, credentials);
		await teams.delete(user, pathParam(ctx, 'teamId'));
		ctx.body = {message: 'The team is deleted. Its inboxes stay with those who made them.'} satisfies DoneBody;
	});

	router.delete('/teams/:teamId/members/:userId', async ctx => {
		const user = await userByToken(ctx, credentials);
		await teams.removeMember(user, pathParam(ctx, 'teamId'), pathParam(ctx, 'userId'));
		ctx.body = {message: 'The member is removed from the team.'} satisfies DoneBody;
	});

	router.post('/teams/:teamId/invite', async ctx => {
		const user = await userByToken(ctx, credentials);
		const {email, role} = await readBody(ctx, createInvite);
		ctx.body = inviteBody(await invites.create(user, pathParam(ctx, 'teamId'), {email, role}));
		ctx.status = 201;
	});

	router.post('/teams/invites/accept', async ctx => {
		const user = await userByToken(ctx, credentials);
		const {token} = await readBody(ctx, acceptInvite);
		ctx.body = teamBody(await invites.accept(user, token));
	});
}
