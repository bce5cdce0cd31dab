import {userByKey} from '../auth.js';
import {bounceBody} from '../present/bounces.js';
import type {RoutesFor} from '../routing.js';
import {createBounce, createReply} from '../schemas/bounces.js';
import type {Services} from '../services.js';

const single = '/inboxes/:inboxId/messages/:messageId';

export function addBounceRoutes(routesFor: RoutesFor, {credentials, bounces}: Services): void {
	const routes = routesFor(ctx => userByKey(ctx, credentials));
	routes.create(`${single}/bounce`, async ({user, params, readBody}) => {
		const asked = await readBody(createBounce);
		return bounceBody(await bounces.create(user, params.inboxId, params.messageId, {kind: 'bounce', ...asked}));
	});

	routes.create(`${single}/complain`, async ({user, params, readBody}) => {
		const asked = await readBody(createReply);
		return bounceBody(await bounces.create(user, params.inboxId, params.messageId, {kind: 'complaint', ...asked}));
	});

	routes.create(`${single}/autoreply`, async ({user, params, readBody}) => {
		const asked = await readBody(createReply);
		return bounceBody(await bounces.create(user, params.inboxId, params.messageId, {kind: 'autoreply', ...asked}));
	});
}
