import {assertMailSize, MailBodies} from '../mail-bodies.js';
import {messageOperations} from '../operations/messages.js';
import {importCheckBody, messageSummaryBody} from '../present/messages.js';
import type {Routes} from '../routing.js';
import type {Services} from '../services.js';

export function addImportRoutes(routes: Routes, {messages: {imports}, sending}: Services): void {
	const bodies = new MailBodies();
	routes.add(messageOperations.import, async ({ctx, user, params, query}) =>
		bodies.take(user.id, ctx, sending.maxBytes, async mail => {
			const [message] = await imports.add(user, params.inboxId, [mail], query);
			return message && messageSummaryBody(message);
		}),
	);

	routes.add(messageOperations.importAll, async ({user, params, body: {sources, ...envelope}}) => {
		for (const {length} of sources) {
			assertMailSize(length, sending.maxBytes);
		}

		return (await imports.add(user, params.inboxId, sources, envelope)).map(messageSummaryBody);
	});

	routes.add(messageOperations.checkImport, async ({ctx, user, params, query}) =>
		bodies.take(user.id, ctx, sending.maxBytes, async mail =>
			importCheckBody(await imports.check(user, params.inboxId, mail, query)),
		),
	);
}
