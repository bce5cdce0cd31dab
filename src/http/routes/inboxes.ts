import type {Router} from '@koa/router';
import {userByKey} from '../auth.js';
import {pathParam, readBody, readQuery} from '../input.js';
import {inboxBody, inboxListBody} from '../present/inboxes.js';
import {createInbox, listInboxes, updateInbox} from '../schemas/inboxes.js';
import type {Services} from '../services.js';

export function addInboxRoutes(router: Router, {credentials, inboxes}: Services): void {
	router.post('/inboxes', async ctx => {
		const user = await userByKey(ctx, credentials);
		const {name, team_id: teamId, email_address: claim, ttl: ttlSeconds} = await readBody(ctx, createInbox);
		ctx.body = inboxBody(await inboxes.create(user, {name, teamId, claim, ttlSeconds}));
		ctx.status = 201;
	});

	router.get('/inboxes', async ctx => {
		const user = await userByKey(ctx, credentials);
		const {email_address, ...page} = readQuery(ctx, listInboxes);
		ctx.body = inboxListBody(await inboxes.list(user, page, email_address), page);
	});

	router.get('/inboxes/:inboxId', async ctx => {
		const user = await userByKey(ctx, credentials);
		ctx.body = inboxBody(await inboxes.get(user, pathParam(ctx, 'inboxId')));
	});

	router.patch('/inboxes/:inboxId', async ctx => {
		const user = await userByKey(ctx, credentials);
		const {name, team_id} = await readBody(ctx, updateInbox);
		const patch = {...(name !== undefined && {name}), ...(team_id !== undefined && {teamId: team_id})};
		ctx.body = inboxBody(await inboxes.update(user, pathParam(ctx, 'inboxId'), patch));
	});

	router.delete('/inboxes/:inboxId', async ctx => {
		const user = await userByKey(ctx, credentials);
		await inboxes.delete(user, pathParam(ctx, 'inboxId'));
		ctx.status = 204;
	});
}
