import type {Context, Next} from 'koa';
import {appHeader} from '../../contract/constants.js';
import {looksLikeWebSession, webSessionSecret} from '../../domain/accounts/secrets.js';
import {AppError} from '../../domain/errors.js';

/**
 * Has the web app call the API below `/app/v1`, where its session counts and nothing else; it counts nowhere but there. What
 * changes something needs a header that no form can send. Previews are not among it: mail must not come from where the cookie goes.
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

/** A half of a secret, as `createSecret` makes it. */
const half = /^[\w-]{43}$/;

/**
 * The secret of the web session that a request of the app carries: of two halves, since cookies know no ports. What another
 * user of the machine serves there gets the cookie, but not what the page keeps. Undefined without any; of several cookies none
 * counts.
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

/** Gives the browser the cookie, or (after 0 seconds) takes it away. */
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

/** With the port, so that the daemons at one host do not take each other's cookies away. */
function cookieName({host}: Context): string {
	const [, port] = /:(\d+)$/.exec(host) ?? [];
	return port === undefined ? 'tinbox_session' : `tinbox_session_${port}`;
}
