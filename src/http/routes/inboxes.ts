import type {CreatedInboxBody, InboxBounce} from '../../contract/inboxes.js';
import {userByKey} from '../auth.js';
import {readQuery} from '../input.js';
import {credentialsBody, inboxBody, inboxListBody} from '../present/inboxes.js';
import {listening, reachedFrom} from '../reached.js';
import type {RoutesFor} from '../routing.js';
import {createInbox, listInboxes, updateInbox} from '../schemas/inboxes.js';
import type {Services} from '../services.js';

export function addInboxRoutes(routesFor: RoutesFor, {credentials, inboxes, logins, intake, tls}: Services): void {
	const routes = routesFor(ctx => userByKey(ctx, credentials));
	routes.create('/inboxes', async ({ctx, user, readBody}) => {
		const {team_id: teamId, email_address: claim, ttl: ttlSeconds, bounce, ...others} = await readBody(createInbox);
		const created = await inboxes.create(user, {
			...others,
			bounce: bounce && inboxBounce(bounce),
			teamId,
			claim,
			ttlSeconds,
		});
		const smtp = intake.address();
		return {
			...inboxBody(created),
			smtp: smtp
				? credentialsBody(await logins.credentialsOf(created.inbox), reachedFrom(ctx, smtp), tls.smtps()?.port)
				: null,
		} satisfies CreatedInboxBody;
	});

	routes.get('/inboxes', async ({ctx, user}) => {
		const {email_address, ...page} = readQuery(ctx, listInboxes);
		return inboxListBody(await inboxes.list(user, page, email_address), page);
	});

	routes.get('/inboxes/:inboxId', async ({user, params}) => inboxBody(await inboxes.get(user, params.inboxId)));

	routes.patch('/inboxes/:inboxId', async ({user, params, readBody}) => {
		const {team_id: teamId, bounce, ...others} = await readBody(updateInbox);
		const patch = {
			...others,
			...(teamId !== undefined && {teamId}),
			...(bounce !== undefined && {bounce: bounce && inboxBounce(bounce)}),
		};
		return inboxBody(await inboxes.update(user, params.inboxId, patch));
	});

	routes.delete('/inboxes/:inboxId', async ({ctx, user, params}) => {
		await inboxes.delete(user, params.inboxId);
		ctx.status = 204;
	});

	routes.get('/inboxes/:inboxId/credentials', async ({ctx, user, params}) =>
		credentialsBody(await logins.credentials(user, params.inboxId), listening(ctx, intake), tls.smtps()?.port),
	);

	routes.post('/inboxes/:inboxId/credentials/rotate', async ({ctx, user, params}) => {
		const smtp = listening(ctx, intake);
		return credentialsBody(await logins.rotate(user, params.inboxId), smtp, tls.smtps()?.port);
	});
}

function inboxBounce({status, delay_ms: delayMs}: InboxBounce) {
	return {status, delayMs};
}
