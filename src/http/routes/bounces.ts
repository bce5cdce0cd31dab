import {messageOperations} from '../operations/messages.js';
import {bounceBody} from '../present/bounces.js';
import type {Routes} from '../routing.js';
import type {Services} from '../services.js';

export function addBounceRoutes(routes: Routes, {bounces}: Services): void {
	routes.add(messageOperations.bounce, async ({user, params, body}) => {
		return bounceBody(await bounces.create(user, params.inboxId, params.messageId, {kind: 'bounce', ...body}));
	});

	routes.add(messageOperations.complain, async ({user, params, body}) => {
		return bounceBody(await bounces.create(user, params.inboxId, params.messageId, {kind: 'complaint', ...body}));
	});

	routes.add(messageOperations.autoreply, async ({user, params, body}) => {
		return bounceBody(await bounces.create(user, params.inboxId, params.messageId, {kind: 'autoreply', ...body}));
	});
}
