import type {Router} from '@koa/router';
import type {Context} from 'koa';
import type {DaemonBody, HealthBody} from '../../contract/answers.js';
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
		const smtp = (await isKnown(ctx, credentials)) && {smtp: reachedFrom(ctx, intake.address())};
		ctx.body = {status: 'ok', version, ...smtp} satisfies HealthBody;
	});
	routesFor(ctx => userByKey(ctx, credentials)).get('/daemon', async ({ctx}) => {
		const {domain, login} = intake;
		return {
			version,
			domain,
			smtp: {...reachedFrom(ctx, intake.address()), auth: login},
		} satisfies DaemonBody;
	});
}

/** The address for a caller: a listener on all of them is reached where the API was. */
function reachedFrom({hostname}: Context, {host, port}: HostPort): HostPort {
	return {host: isEverywhere(host) ? withoutBrackets(hostname) : host, port};
}
