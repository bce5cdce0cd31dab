import type {Context} from 'koa';
import type {DaemonBody, HealthBody, ReadyBody, TlsBody} from '../../contract/daemon.js';
import {AppError} from '../../domain/errors.js';
import {hostPort} from '../../lib/io/hosts.js';
import {version} from '../../lib/version.js';
import {isKnown} from '../auth.js';
import {daemonOperations} from '../operations/daemon.js';
import {listening, reachedFrom} from '../reached.js';
import type {Routes} from '../routing.js';
import type {Services} from '../services.js';

/**
 * What the daemon tells of itself. That it answers and can serve, and its version, everybody may know; where mail is taken, whoever has
 * credentials; the login for it, whoever may make an inbox for which mail is to come.
 */
export function addDaemonRoutes(routes: Routes, services: Services): void {
	const {credentials, intake, tls} = services;
	routes.add(daemonOperations.health, async ({ctx}) => {
		const status = services.isAvailable() ? 'ok' : 'degraded';
		const isTold = await isKnown(ctx, credentials);
		const smtp = intake.address();
		return {status, version, ...(isTold && smtp && {smtp: reachedFrom(ctx, smtp)})} satisfies HealthBody;
	});
	routes.add(daemonOperations.ready, async () => {
		if (!(services.isAvailable() && intake.address())) {
			throw new AppError('unavailable', 'The daemon is not ready. Try again later.', {retryAfter: 1});
		}

		return {status: 'ready', version} satisfies ReadyBody;
	});
	routes.add(daemonOperations.daemon, async ({ctx}) => {
		const {domain} = intake;
		const smtp = {...listening(ctx, intake), ...authBody(intake)};
		return {version, domain, smtp, tls: await tlsBody(ctx, tls)};
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
