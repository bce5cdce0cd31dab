import type {Context, Next} from 'koa';
import {appHeader} from '../../contract/constants.js';
import {looksLikeWebSession, webSessionSecret} from '../../domain/accounts/secrets.js';
import {AppError} from '../../domain/errors.js';

/**
 * Maps `/app/v1` to `/v1` for the web app. Only there, and no other credential, its session counts. Requests that change
 * something need a header that forms cannot send. Previews are excluded, so that no mail is served from paths that receive the
 * cookie.
 */
export function admitApp(ctx: Context, next: Next): Promise<void> {
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
		headers['x-api-key'] = sessionSecret(ctx) ?? '';
		ctx.path = ctx.path.slice('/app'.length);
	}

	return next();
}

/** Half of a session secret, as `createSecret` creates it. */
const half = /^[\w-]{43}$/;

/**
 * Secret of the web session of a request; undefined for none or several cookies. It has two halves because cookies ignore
 * ports: a server of another user on this host receives the cookie, but not the half that the page stores.
 */
export function sessionSecret(ctx: Context): string | undefined {
	const start = `${cookieName(ctx)}=`;
	const cookies = ctx
		.get('Cookie')
		.split(';')
		.map(pair => pair.trim())
		.filter(pair => pair.startsWith(start));
	const [cookie = ''] = cookies.map(pair => pair.slice(start.length));
	const appKey = ctx.get(appHeader);
	return cookies.length === 1 && half.test(cookie) && half.test(appKey) ? webSessionSecret(cookie, appKey) : undefined;
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
