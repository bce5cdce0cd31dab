import type {Router} from '@koa/router';
import {acceptInvite, createInvite} from '../../contract/teams.js';
import {userByToken} from '../auth.js';
import {pathParam, readBody} from '../input.js';
import {inviteBody, teamBody} from '../present/teams.js';
import type {Services} from '../services.js';

export function addInviteRoutes(router: Router, {credentials, invites}: Services): void {
	router.post('/teams/:teamId/invite', async ctx => {
		const user = await userByToken(ctx, credentials);
		const {email, role} = await readBody(ctx, createInvite);
		const invite = await invites.create(user, pathParam(ctx, 'teamId'), {email, role});
		ctx.status = 201;
		ctx.body = inviteBody(invite);
	});

	router.post('/teams/invites/accept', async ctx => {
		const user = await userByToken(ctx, credentials);
		const {token} = await readBody(ctx, acceptInvite);
		ctx.body = teamBody(await invites.accept(user, token));
	});
}
