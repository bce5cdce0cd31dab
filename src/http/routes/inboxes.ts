import type {InboxBounce} from '../../contract/inboxes.js';
import {inboxOperations} from '../operations/inboxes.js';
import {credentialsBody, inboxBody, inboxListBody} from '../present/inboxes.js';
import {listening, reachedFrom} from '../reached.js';
import type {Routes} from '../routing.js';
import type {Services} from '../services.js';

export function addInboxRoutes(routes: Routes, {inboxes, logins, intake, tls}: Services): void {
	routes.add(inboxOperations.create, async ({ctx, user, body}) => {
		const {team_id: teamId, email_address: claim, ttl: ttlSeconds, bounce, keep_for, ...others} = body;
		const created = await inboxes.create(user, {
			...others,
			bounce: bounce && inboxBounce(bounce),
			keepForMs: keep_for && keep_for * 1000,
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
		};
	});

	routes.add(inboxOperations.list, async ({user, query: {email_address, ...page}}) => {
		return inboxListBody(await inboxes.list(user, page, email_address), page);
	});

	routes.add(inboxOperations.get, async ({user, params}) => inboxBody(await inboxes.get(user, params.inboxId)));

	routes.add(inboxOperations.update, async ({user, params, body}) => {
		const {team_id: teamId, bounce, keep_for, ...others} = body;
		const patch = {
			...others,
			...(teamId !== undefined && {teamId}),
			...(bounce !== undefined && {bounce: bounce && inboxBounce(bounce)}),
			...(keep_for !== undefined && {keepForMs: keep_for && keep_for * 1000}),
		};
		return inboxBody(await inboxes.update(user, params.inboxId, patch));
	});

	routes.add(inboxOperations.delete, async ({user, params}) => inboxes.delete(user, params.inboxId));

	routes.add(inboxOperations.credentials, async ({ctx, user, params}) =>
		credentialsBody(await logins.credentials(user, params.inboxId), listening(ctx, intake), tls.smtps()?.port),
	);

	routes.add(inboxOperations.rotateCredentials, async ({ctx, user, params}) => {
		const smtp = listening(ctx, intake);
		return credentialsBody(await logins.rotate(user, params.inboxId), smtp, tls.smtps()?.port);
	});
}

function inboxBounce({status, delay_ms: delayMs}: InboxBounce) {
	return {status, delayMs};
}
