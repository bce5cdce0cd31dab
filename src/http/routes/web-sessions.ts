import type {User} from '../../domain/accounts/user.js';
import {peerUser} from '../../lib/io/sockets.js';
import {keyHash} from '../auth.js';
import {webSessionOperations} from '../operations/keys.js';
import {webSessionBody} from '../present/web-sessions.js';
import type {Routes} from '../routing.js';
import type {Services} from '../services.js';

/** The browsers that are logged in to the web app; that itself opens and ends its own at `/app/session`. */
export function addWebSessionRoutes(routes: Routes, services: Services): void {
	const {webSessions} = services;
	routes.add(webSessionOperations.createLink, async ({ctx, user, body: {inbox_id, message_id}}) => {
		const page = await pageOf(services, user, inbox_id, message_id);
		const {token, expiresAt} = await webSessions.createLink(keyHash(ctx), async () => peerUser(ctx.req.socket));
		const url = `${ctx.protocol}://${ctx.host}/app/${page}#enter=${token}`;
		return {url, expires_at: expiresAt.toISOString()};
	});

	routes.addList(webSessionOperations.list, async ({user}) => webSessions.list(user), {
		bodyOf: async row => webSessionBody(row),
		wrap: list => ({web_sessions: list}),
	});

	routes.add(webSessionOperations.end, async ({user, params}) => {
		await webSessions.end(user, params.sessionId);
		return {message: 'The web app session was ended.'};
	});
}

/** The path of the app at which this is shown. Throws `not_found` for what the user may not see. */
async function pageOf(
	{inboxes, messages}: Pick<Services, 'inboxes' | 'messages'>,
	user: User,
	inboxName: string | undefined,
	messageName: string | undefined,
): Promise<string> {
	if (inboxName === undefined) {
		return '';
	}

	const {id} = await inboxes.visible(user, inboxName);
	return messageName === undefined
		? `inboxes/${id}`
		: `inboxes/${id}/messages/${(await messages.get(user, id, messageName)).id}`;
}
