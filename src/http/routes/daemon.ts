import type {Router} from '@koa/router';
import type {Context} from 'koa';
import type {DaemonBody, HealthBody} from '../../contract/answers.js';
import {AppError} from '../../domain/errors.js';
import {type HostPort, isEverywhere, withoutBrackets} from '../../lib/hosts.js';
import {version} from '../../lib/version.js';
import {isKnown, userByKey} from '../auth.js';
import type {RoutesFor} from '../routing.js';
import type {Services} from '../services.js';

/**
 * What the daemon tells of itself. That it answers, and its version, everybody may know; where mail is taken, whoever has
 * credentials; the login for it, whoever may make an inbox for which mail is to come.
 */
export function addDaemonRoutes(router: Router, routesFor: RoutesFor, {credentials, intake}: Services): void {
	router.get('/health', async ctx => {
		const isTold = await isKnown(ctx, credentials);
		const smtp = intake.address();
		ctx.body = {status: 'ok', version, ...(isTold && smtp && {smtp: reachedFrom(ctx, smtp)})} satisfies HealthBody;
	});
	routesFor(ctx => userByKey(ctx, credentials)).get('/daemon', async ({ctx}) => {
		const {domain, login} = intake;
		const smtp = intake.address();
		if (!smtp) {
			throw new AppError('stopping', 'This daemon takes no mail now. Try again when it does.');
		}

		return {version, domain, smtp: {...reachedFrom(ctx, smtp), auth: login}} satisfies DaemonBody;
	});
}

/** The address for a caller: a listener on all of them is reached where the API was. */
function reachedFrom({hostname}: Context, {host, port}: HostPort): HostPort {
	return {host: isEverywhere(host) ? withoutBrackets(hostname) : host, port};
}
