import type {Context} from 'koa';
import {appHeader} from '../contract/constants.js';
import {webSessionSecret} from '../domain/accounts/secrets.js';

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
