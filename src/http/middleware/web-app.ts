import type {Context, Next} from 'koa';
import {appHeader} from '../../contract/constants.js';
import {hashSecret, looksLikeWebSession, webSessionSecret} from '../../domain/accounts/secrets.js';
import {AppError} from '../../domain/errors.js';
import type {Credentials} from '../../services/accounts/credentials.js';

/**
 * Rewrites `/app/v1` to `/v1` and replaces all credentials by the web session. On other paths, the secret of a web session is not
 * accepted. Requests that change something need a header that forms cannot send. Previews are excluded, so that no mail is
 * served from paths that receive the cookie.
 */
export const rewriteWebAppRequest =
	(credentials: SessionFinder) =>
	async (ctx: Context, next: Next): Promise<void> => {
		const {headers} = ctx.req;
		const isApi = ctx.path.startsWith('/app/v1/');
		if (!isApi && looksLikeWebSession(ctx.get('X-API-Key'))) {
			delete headers['x-api-key'];
		}

		if (!isApi && ctx.path !== '/app/session') {
			return next();
		}

		if (!['GET', 'HEAD'].includes(ctx.method) && ctx.get(appHeader) === '') {
			throw new AppError('forbidden', `Only the web app is allowed to do this: the header ${appHeader} is missing.`);
		}

		if (isApi) {
			if (/^\/app\/v1\/previews(?:\/|$)/.test(ctx.path)) {
				throw new AppError('not_found', 'Not found. Previews are served below /v1/previews.');
			}

			delete headers.authorization;
			headers['x-api-key'] = (await sessionSecret(ctx, credentials)) ?? '';
			ctx.path = ctx.path.slice('/app'.length);
		}

		return next();
	};

/** Half of a session secret, as `createSecret` creates it. */
const half = /^[\w-]{43}$/;

/** Maximum number of cookies that are tried. */
const maxCookies = 32;

type SessionFinder = Pick<Credentials, 'holder'>;

/**
 * Secret of the web session of a request; undefined if it has none. It has two halves because cookies ignore ports: a server of
 * another user on this host receives the cookie, but not the half that the page stores. That server can also set cookies with
 * this name. Cookies that belong to no session are therefore skipped.
 */
export async function sessionSecret(ctx: Context, credentials: SessionFinder): Promise<string | undefined> {
	const start = `${cookieName(ctx)}=`;
	const appKey = ctx.get(appHeader);
	const cookies = ctx
		.get('Cookie')
		.split(';')
		.map(pair => pair.trim())
		.filter(pair => pair.startsWith(start))
		.map(pair => pair.slice(start.length))
		.filter(cookie => half.test(cookie) && half.test(appKey));
	const [first, ...others] = [...new Set(cookies)].slice(0, maxCookies).map(cookie => webSessionSecret(cookie, appKey));
	if (first === undefined || others.length === 0) {
		return first;
	}

	const secrets = [first, ...others];
	const holders = await Promise.all(secrets.map(async secret => credentials.holder(hashSecret(secret))));
	return secrets.find((_, index) => holders[index]) ?? first;
}

/** Sets the session cookie; deletes it if `maxAgeS` is 0. */
export function setSessionCookie(ctx: Context, value: string, maxAgeS: number): void {
	const attributes = [
		'Path=/app',
		`Max-Age=${maxAgeS}`,
		'HttpOnly',
		'SameSite=Strict',
		...(ctx.secure ? ['Secure'] : []),
	];
	ctx.set('Set-Cookie', [`${cookieName(ctx)}=${value}`, ...attributes].join('; '));
}

/** Cookie name with the port, so that daemons on one host do not overwrite each other's cookies. */
function cookieName({host}: Context): string {
	const [, port] = /:(\d+)$/.exec(host) ?? [];
	return port === undefined ? 'tinbox_session' : `tinbox_session_${port}`;
}
