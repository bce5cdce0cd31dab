import {Router} from '@koa/router';
import Koa, {type Context, type Next} from 'koa';
import {AppError} from '../domain/errors.js';
import type {Log} from '../lib/log.js';
import type {HttpConnections} from './connections.js';
import {LongAnswers} from './long-answers.js';
import {answerHome} from './middleware/home.js';
import {admitOwnSite, type SiteOptions} from './middleware/own-site.js';
import {answerProblems, answerUnmatched, logBrokenAnswer} from './middleware/problems.js';
import type {Polls} from './polls.js';
import {HttpProblem, safetyHeaders} from './problem.js';
import {addBounceRoutes} from './routes/bounces.js';
import {addDaemonRoutes} from './routes/daemon.js';
import {addEventRoutes} from './routes/events.js';
import {addFaultRoutes} from './routes/faults.js';
import {addInboxRoutes} from './routes/inboxes.js';
import {addKeyRoutes} from './routes/keys.js';
import {addMessageRoutes} from './routes/messages.js';
import {addNodeRoutes} from './routes/nodes.js';
import {addPreviewRoutes} from './routes/previews.js';
import {addRefusalRoutes} from './routes/refusals.js';
import {addTeamRoutes} from './routes/teams.js';
import {addUserRoutes} from './routes/users.js';
import {addWebhookRoutes} from './routes/webhooks.js';
import {createRoutesFor} from './routing.js';
import type {Services} from './services.js';

/** What holds requests, and knows of each who sent it. */
type Holders = {readonly polls: Polls; readonly connections: Pick<HttpConnections, 'belongsTo' | 'holdForNews'>};

export type AppOptions = SiteOptions & Holders & {readonly log: Log};

/**
 * The `/v1` API as a Koa application. Each request is checked in this order: its site (`admitOwnSite`), what it expects
 * (417), its path (404), its method (405), and then, in its route, who calls (401), the form of what is sent (400, 413,
 * 415), and what it is about (404, 403, 409).
 *
 * A route file exports `add…Routes(routesFor, services)`. It says who may call (`routing.ts`, `auth.ts`); its handlers read
 * their input through a schema (`schemas/<noun>.ts`, `input.ts`), call one service method, and give its result as a body
 * (`present/<noun>.ts`, `…Body` functions from records to bodies). Failures are thrown. Paths are relative to `/v1`.
 */
export function createApp(services: Services, {polls, connections, log, ...site}: AppOptions): Koa {
	const app = new Koa();
	app.on('error', logBrokenAnswer(log));
	app.use(answerProblems(log));
	app.use((ctx, next) => {
		ctx.set(safetyHeaders);
		return next();
	});
	app.use(refuseWhenStopping(polls));
	app.use(admitOwnSite(site));
	app.use(refuseExpectations);
	app.use(answerHome);
	app.use(createRouter(services, {polls, connections}).routes());
	return app;
}

/** Refuses what still comes in while the server stops. */
function refuseWhenStopping(polls: Polls) {
	return (ctx: Context, next: Next): Promise<void> => {
		if (polls.isStopping) {
			ctx.set('Connection', 'close');
			throw new AppError('stopping', 'The daemon is stopping. Try again once it runs.');
		}

		return next();
	};
}

/** RFC 9110, section 10.1.1. */
function refuseExpectations({req}: Context, next: Next): Promise<void> {
	const {expect = '100-continue'} = req.headers;
	if (expect.toLowerCase() !== '100-continue') {
		throw new HttpProblem('expectation_failed', 'Only "Expect: 100-continue" is known here.');
	}

	return next();
}

/** Every route there is. */
export function createRouter(services: Services, {polls, connections}: Holders): Router {
	const router = new Router({prefix: '/v1', sensitive: true});
	const longAnswers = new LongAnswers();
	const routesFor = createRoutesFor(router, connections, longAnswers);
	addDaemonRoutes(router, routesFor, services);
	addUserRoutes(routesFor, services);
	addTeamRoutes(routesFor, services);
	// Before the inboxes: `/inboxes/keys` is not the inbox "keys".
	addKeyRoutes(routesFor, services);
	addInboxRoutes(routesFor, services);
	addMessageRoutes(routesFor, services, {polls, longAnswers});
	addBounceRoutes(routesFor, services);
	addFaultRoutes(routesFor, services, polls);
	addRefusalRoutes(routesFor, services);
	addNodeRoutes(routesFor, services);
	addPreviewRoutes(routesFor, services, longAnswers);
	addWebhookRoutes(routesFor, services, longAnswers);
	addEventRoutes(routesFor, services, connections);
	router.on(({NotFound}) => NotFound, answerUnmatched);
	return router;
}
