import type {Router} from '@koa/router';
import type {Context} from 'koa';
import type {DaemonBody, HealthBody, ReadyBody, TlsBody} from '../../contract/answers.js';
import {AppError} from '../../domain/errors.js';
import {hostPort} from '../../lib/hosts.js';
import {version} from '../../lib/version.js';
import {isKnown, userByKey} from '../auth.js';
import {listening, reachedFrom} from '../reached.js';
import type {RoutesFor} from '../routing.js';
import type {Services} from '../services.js';

/**
 * What the daemon tells of itself. That it answers and can serve, and its version, everybody may know; where mail is taken, whoever has
 * credentials; the login for it, whoever may make an inbox for which mail is to come.
 */
export function addDaemonRoutes(router: Router, routesFor: RoutesFor, services: Services): void {
	const {credentials, intake, tls} = services;
	router.get('/health', async ctx => {
		const status = services.isAvailable() ? 'ok' : 'degraded';
		const isTold = await isKnown(ctx, credentials);
		const smtp = intake.address();
		ctx.body = {status, version, ...(isTold && smtp && {smtp: reachedFrom(ctx, smtp)})} satisfies HealthBody;
	});
	router.get('/ready', async ctx => {
		if (!(services.isAvailable() && intake.address())) {
			throw new AppError('unavailable', 'The daemon cannot serve at the moment.', {retryAfter: 1});
		}

		ctx.body = {status: 'ready', version} satisfies ReadyBody;
	});
	routesFor(ctx => userByKey(ctx, credentials)).get('/daemon', async ({ctx}) => {
		const {domain} = intake;
		const smtp = {...listening(ctx, intake), ...authBody(intake)};
		return {version, domain, smtp, tls: await tlsBody(ctx, tls)} satisfies DaemonBody;
	});
}

async function tlsBody(ctx: Context, {mode, authority, ...listeners}: Services['tls']): Promise<TlsBody> {
	const [smtps, https] = [listeners.smtps(), listeners.https()];
	return {
		mode,
		smtps: smtps ? reachedFrom(ctx, smtps) : null,
		https_url: https ? `https://${hostPort(reachedFrom(ctx, https))}/v1` : null,
		ca: await authority(),
	};
}

function authBody({others, authNeedsTls}: Services['intake']) {
	const isLogin = typeof others === 'object';
	return {
		auth_mode: isLogin ? 'login' : others,
		auth: isLogin ? others : null,
		auth_needs_tls: authNeedsTls,
	} satisfies Partial<DaemonBody['smtp']>;
}
