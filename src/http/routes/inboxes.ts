import {userByKey} from '../auth.js';
import {readQuery} from '../input.js';
import {inboxBody, inboxListBody} from '../present/inboxes.js';
import type {RoutesFor} from '../routing.js';
import {createInbox, listInboxes, updateInbox} from '../schemas/inboxes.js';
import type {Services} from '../services.js';

export function addInboxRoutes(routesFor: RoutesFor, {credentials, inboxes}: Services): void {
	const routes = routesFor(ctx => userByKey(ctx, credentials));
	routes.create('/inboxes', async ({user, readBody}) => {
		const {name, team_id: teamId, email_address: claim, ttl: ttlSeconds} = await readBody(createInbox);
		return inboxBody(await inboxes.create(user, {name, teamId, claim, ttlSeconds}));
	});

	routes.get('/inboxes', async ({ctx, user}) => {
		const {email_address, ...page} = readQuery(ctx, listInboxes);
		return inboxListBody(await inboxes.list(user, page, email_address), page);
	});

	routes.get('/inboxes/:inboxId', async ({user, params}) => inboxBody(await inboxes.get(user, params.inboxId)));

	routes.patch('/inboxes/:inboxId', async ({user, params, readBody}) => {
		const {team_id: teamId, ...others} = await readBody(updateInbox);
		const patch = {...others, ...(teamId !== undefined && {teamId})};
		return inboxBody(await inboxes.update(user, params.inboxId, patch));
	});

	routes.delete('/inboxes/:inboxId', async ({ctx, user, params}) => {
		await inboxes.delete(user, params.inboxId);
		ctx.status = 204;
	});
}
