import type {Router} from '@koa/router';
import type {Context} from 'koa';
import {doneSchema} from '../../contract/common.js';
import {
	createWebSessionLinkSchema,
	type OpenedWebSessionBody,
	type OtherAccountBody,
	type OwnWebSessionBody,
	openWebSessionSchema,
	webSessionLinkSchema,
	webSessionListSchema,
} from '../../contract/keys.js';
import type {User} from '../../domain/accounts/user.js';
import {AppError} from '../../domain/errors.js';
import {peerUser} from '../../lib/io/sockets.js';
import {RateWindow} from '../../lib/queue/rate-window.js';
import type {LoginMethod} from '../../services/accounts/web-sessions.js';
import {sessionSecret, setSessionCookie} from '../middleware/web-app.js';
import {isLarge, JsonBodies} from '../server/bodies.js';
import type {HttpConnections} from '../server/connections.js';
import type {Services} from '../services.js';
import {keyHash, loginMethodOf} from './auth.js';
import type {Operation} from './operation.js';
import {type Routes, readBody} from './routing.js';

export const webSessionOperations = {
	createLink: {
		route: 'POST /web-sessions/links',
		id: 'createWebSessionLink',
		summary: 'Create a login link for the web app',
		description: 'The link works once and expires after a minute. It can open an inbox or a message.',
		body: createWebSessionLinkSchema,
		example: {},
		command: 'tinbox open',
		status: 201,
		response: webSessionLinkSchema,
		errors: ['not_found', 'ambiguous', 'forbidden', 'rate_limited'],
	},
	list: {
		route: 'GET /web-sessions',
		id: 'listWebSessions',
		summary: 'List the web app sessions of the caller',
		description: 'Each session is a browser that is logged in to the web app.',
		caller: 'keyOrToken',
		command: 'tinbox keys list',
		response: webSessionListSchema,
		responseIds: {sessionId: 'web_sessions/0/id'},
	},
	end: {
		route: 'DELETE /web-sessions/:sessionId',
		id: 'endWebSession',
		summary: 'End a web app session',
		description: 'The browser of the session is logged out.',
		caller: 'keyOrToken',
		command: 'tinbox keys revoke <session>',
		response: doneSchema,
	},
} as const satisfies Readonly<Record<string, Operation>>;

/** Sessions of the web app. */
export function addWebSessionRoutes(routes: Routes, services: Services): void {
	const {webSessions} = services;
	routes.add(webSessionOperations.createLink, async ({ctx, user, body: {inbox_id, message_id}}) => {
		const page = await appPathOf(services, user, inbox_id, message_id);
		const {token, expiresAt} = await webSessions.createLink(keyHash(ctx), async () => peerUser(ctx.req.socket));
		const url = `${ctx.protocol}://${ctx.host}/app/${page}#enter=${token}`;
		return {url, expires_at: expiresAt.toISOString()};
	});

	routes.addList(webSessionOperations.list, async ({user}) => webSessions.list(user), {
		bodyOf: async ({id, keyId, createdAt, lastUsedAt, expiresAt}) => {
			return {id, key_id: keyId, created_at: createdAt, last_used_at: lastUsedAt, expires_at: expiresAt};
		},
		wrap: list => ({web_sessions: list}),
	});

	routes.add(webSessionOperations.end, async ({user, params}) => {
		await webSessions.end(user, params.sessionId);
		return {message: 'The web app session was ended.'};
	});
}

/** Path of an inbox or message in the web app. Throws `not_found` if it is not visible to the user. */
async function appPathOf(
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

/** Login and logout of the web app at `/app/session`, which are not part of the OpenAPI document. */
export function addAppSessionRoutes(
	router: Router,
	{credentials, webSessions}: Services,
	connections: Pick<HttpConnections, 'belongsTo' | 'holderOf' | 'admit' | 'turn'>,
): void {
	const tries = new FailedLogins();
	const bodies = new JsonBodies(connections);
	router.post('/session', async ctx => {
		const address = ctx.req.socket.remoteAddress ?? '';
		const opened = await tries.count(address, async () => {
			const {method, account} = await credentialOf(ctx, bodies);
			const {email} = account === undefined ? {email: account} : await webSessions.userOf(method);
			return email === account ? webSessions.open(method) : email;
		});
		if (typeof opened !== 'object') {
			ctx.body = {email: opened ?? ''} satisfies OtherAccountBody;
			return;
		}

		const {user, session, cookie, appKey} = opened;
		const leftMs = Date.parse(session.expiresAt) - Date.parse(session.createdAt);
		setSessionCookie(ctx, cookie, Math.ceil(leftMs / 1000));
		ctx.status = 201;
		const {expiresAt} = session;
		ctx.body = {email: user.email, expires_at: expiresAt, app_key: appKey} satisfies OpenedWebSessionBody;
	});

	const own = async (ctx: Context) => {
		const holder = await credentials.sessionHolder((await sessionSecret(ctx, credentials)) ?? '');
		connections.belongsTo(ctx.res, holder.user.id);
		return holder;
	};
	router.get('/session', async ctx => {
		const {user, session} = await own(ctx);
		ctx.body = {email: user.email, expires_at: session.expiresAt} satisfies OwnWebSessionBody;
	});

	router.delete('/session', async ctx => {
		const {user, session} = await own(ctx);
		await webSessions.end(user, session.id);
		setSessionCookie(ctx, '', 0);
		ctx.status = 204;
	});
}

type Login = {
	readonly method: LoginMethod;
	/** The only account that a link may be for. */
	readonly account?: string | undefined;
};

/** Credential of a login: API key or token in the header, or the login link in the body. */
async function credentialOf(ctx: Context, bodies: JsonBodies): Promise<Login> {
	const entrance = loginMethodOf(ctx);
	if (entrance) {
		return {method: entrance};
	}

	if (isLarge(ctx.req)) {
		throw new AppError('too_large', 'The body is too large for a login link.');
	}

	const {link, account} = await readBody(ctx, bodies, openWebSessionSchema);
	if (link === undefined) {
		throw new AppError('unauthorized', 'An API key, a token, or a login link from "tinbox open" is required.');
	}

	return {method: {link, peer: async () => peerUser(ctx.req.socket)}, account};
}

/** Failed logins by address. A correct login always succeeds, because all users of a machine share one address. */
class FailedLogins {
	readonly #failures = new RateWindow({limit: 60, windowMs: 60_000});

	/** Resolves or rejects as the attempt does; after too many `unauthorized` it rejects with `rate_limited` instead. */
	async count<T>(address: string, attempt: () => Promise<T>): Promise<T> {
		try {
			return await attempt();
		} catch (error) {
			const isFailure = error instanceof AppError && error.code === 'unauthorized';
			const waitMs = isFailure ? this.#failures.add(address, undefined, performance.now()) : 0;
			const retryAfter = Math.ceil(waitMs / 1000);
			throw waitMs > 0
				? new AppError('rate_limited', `Too many failed logins. Try again in ${retryAfter} s.`, {retryAfter})
				: error;
		}
	}
}
