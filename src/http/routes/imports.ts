import {MailBodies} from '../mail-bodies.js';
import {messageOperations} from '../operations/messages.js';
import {importCheckBody, messageSummaryBody} from '../present/messages.js';
import type {Routes} from '../routing.js';
import type {Services} from '../services.js';

export function addImportRoutes(routes: Routes, {messages: {imports}, sending}: Services): void {
	const bodies = new MailBodies();
	routes.add(messageOperations.import, async ({ctx, user, params, query}) =>
		bodies.take(user.id, ctx, sending.maxBytes, async mail =>
			messageSummaryBody(await imports.add(user, params.inboxId, mail, query)),
		),
	);

	routes.add(messageOperations.checkImport, async ({ctx, user, params, query}) =>
		bodies.take(user.id, ctx, sending.maxBytes, async mail =>
			importCheckBody(await imports.check(user, params.inboxId, mail, query)),
		),
	);
}
