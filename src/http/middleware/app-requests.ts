import type {Context, Next} from 'koa';
import {appHeader} from '../../contract/constants.js';
import {looksLikeWebSession} from '../../domain/accounts/secrets.js';
import {AppError} from '../../domain/errors.js';
import {sessionSecret} from '../session-cookie.js';

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
