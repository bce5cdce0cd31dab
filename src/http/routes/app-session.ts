import type {Router} from '@koa/router';
import type {Context} from 'koa';
import {type OpenedWebSessionBody, openWebSessionSchema} from '../../contract/keys.js';
import {AppError} from '../../domain/errors.js';
import {peerUser} from '../../lib/io/sockets.js';
import type {LoginMethod} from '../../services/accounts/web-sessions.js';
import {entranceIn} from '../auth.js';
import {isLarge} from '../body-turns.js';
import type {HttpConnections} from '../connections.js';
import {bodyReader} from '../input.js';
import {JsonBodies} from '../json.js';
import {ownWebSessionBody} from '../present/web-sessions.js';
import {operator} from '../routing.js';
import type {Services} from '../services.js';
import {sessionSecret, setSessionCookie} from '../session-cookie.js';
import {WrongTries} from '../wrong-tries.js';

/** The web session of the app that asks. Paths are relative to `/app`; for the app alone, so that no document describes them. */
export function addAppSessionRoutes(
	router: Router,
	{credentials, webSessions}: Services,
	connections: Pick<HttpConnections, 'belongsTo'>,
): void {
	const tries = new WrongTries();
	const bodies = new JsonBodies();
	router.post('/session', async ctx => {
		const address = ctx.req.socket.remoteAddress ?? '';
		const opened = await tries.count(address, async () => webSessions.open(await entranceOf(ctx, bodies)));
		const {user, session, cookie, appKey} = opened;
		const leftMs = Date.parse(session.expiresAt) - Date.parse(session.createdAt);
		setSessionCookie(ctx, cookie, Math.ceil(leftMs / 1000));
		ctx.status = 201;
		ctx.body = {...ownWebSessionBody(user, session), app_key: appKey} satisfies OpenedWebSessionBody;
	});

	const own = async (ctx: Context) => {
		const holder = await credentials.sessionHolder(sessionSecret(ctx) ?? '');
		connections.belongsTo(ctx.res, holder.user.id);
		return holder;
	};
	router.get('/session', async ctx => {
		const {user, session} = await own(ctx);
		ctx.body = ownWebSessionBody(user, session);
	});

	router.delete('/session', async ctx => {
		const {user, session} = await own(ctx);
		await webSessions.end(user, session.id);
		setSessionCookie(ctx, '', 0);
		ctx.status = 204;
	});
}

/** A link in the body, unless there is a credential. */
async function entranceOf(ctx: Context, bodies: JsonBodies): Promise<LoginMethod> {
	const entrance = entranceIn(ctx);
	if (entrance) {
		return entrance;
	}

	if (isLarge(ctx.req)) {
		throw new AppError('too_large', 'The body is too large for a login link.');
	}

	const {link} = await bodyReader(ctx, operator, bodies)(openWebSessionSchema);
	if (link === undefined) {
		throw new AppError('unauthorized', 'An API key, a token, or a login link from "tinbox open" is required.');
	}

	return {link, peer: async () => peerUser(ctx.req.socket)};
}
