import {Router} from '@koa/router';
import Koa, {type Context, type Next} from 'koa';
import {AppError} from '../domain/errors.js';
import type {Log} from '../lib/log.js';
import type {HttpConnections} from './connections.js';
import {LongAnswers} from './long-answers.js';
import {admitApp} from './middleware/app-requests.js';
import {answerDocs} from './middleware/docs.js';
import {answerHome} from './middleware/home.js';
import {answerMcp, type McpOptions} from './middleware/mcp.js';
import {answerMetrics} from './middleware/metrics.js';
import {admitOwnSite, type SiteOptions} from './middleware/own-site.js';
import {answerProblems, answerUnmatched, logBrokenAnswer} from './middleware/problems.js';
import {answerWebPage} from './middleware/web-page.js';
import type {Polls} from './polls.js';
import {HttpProblem, safetyHeaders} from './problem.js';
import {addAppSessionRoutes} from './routes/app-session.js';
import {addBounceRoutes} from './routes/bounces.js';
import {addDaemonRoutes} from './routes/daemon.js';
import {addEventRoutes} from './routes/events.js';
import {addFaultRoutes} from './routes/faults.js';
import {addImportRoutes} from './routes/imports.js';
import {addInboxRoutes} from './routes/inboxes.js';
import {addKeyRoutes} from './routes/keys.js';
import {addMessageRoutes} from './routes/messages.js';
import {addNodeRoutes} from './routes/nodes.js';
import {addOpenApiRoutes} from './routes/openapi.js';
import {addPreviewRoutes} from './routes/previews.js';
import {addRefusalRoutes} from './routes/refusals.js';
import {addTeamRoutes} from './routes/teams.js';
import {addTemplateRoutes} from './routes/templates.js';
import {addUserRoutes} from './routes/users.js';
import {addWebSessionRoutes} from './routes/web-sessions.js';
import {addWebhookRoutes} from './routes/webhooks.js';
import {createRoutes} from './routing.js';
import {answerSending} from './send/mount.js';
import type {Services} from './services.js';

/** What holds requests, and knows of each who sent it. */
type Holders = {readonly polls: Polls; readonly connections: Pick<HttpConnections, 'belongsTo' | 'holdForNews'>};

export type AppOptions = SiteOptions & Holders & {readonly mcp: McpOptions; readonly log: Log};

/**
 * The `/v1` API as a Koa application. Each request is checked in this order: its site (`admitOwnSite`), what it expects
 * (417), its path (404), its method (405), and then, in its route, who calls (401), the form of what is sent (400, 413,
 * 415), and what it is about (404, 403, 409).
 *
 * What a route takes and answers says its operation (`operations/<noun>.ts`): `routing.ts` checks requests with it, and the
 * OpenAPI document is made of it. A route file exports `add…Routes(routes, services)`; its handlers call one service method, and
 * give its result as a body (`present/<noun>.ts`, `…Body` functions from records to bodies). Failures are thrown.
 */
export function createApp(services: Services, {polls, connections, mcp, log, ...site}: AppOptions): Koa {
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
	app.use(answerDocs());
	app.use(answerMetrics(services));
	app.use(answerSending({...services, connections, log}));
	app.use(admitApp);
	app.use(answerMcp({...services, ...mcp, connections, log}));
	app.use(createAppRouter(services, connections).routes());
	app.use(answerWebPage());
	app.use(createRouter(services, {polls, connections}).routes());
	return app;
}

/** Refuses what still comes in while the server stops. */
function refuseWhenStopping(polls: Polls) {
	return (ctx: Context, next: Next): Promise<void> => {
		if (polls.isStopping) {
			ctx.set('Connection', 'close');
			throw new AppError('stopping', 'The daemon is stopping. Try again when it is running.');
		}

		return next();
	};
}

/** RFC 9110, section 10.1.1. */
function refuseExpectations({req}: Context, next: Next): Promise<void> {
	const {expect = '100-continue'} = req.headers;
	if (expect.toLowerCase() !== '100-continue') {
		throw new HttpProblem('expectation_failed', 'Unsupported Expect header. Supported: "100-continue".');
	}

	return next();
}

/** Where the web app logs in and out. Everything else is left to others. */
export function createAppRouter(services: Services, connections: Pick<HttpConnections, 'belongsTo'>): Router {
	const router = new Router({prefix: '/app', sensitive: true});
	addAppSessionRoutes(router, services, connections);
	router.on(
		({NotFound}) => NotFound,
		(ctx, next) => (ctx.matched?.length ? answerUnmatched(ctx) : next()),
	);
	return router;
}

/** Every route of the API. */
export function createRouter(services: Services, {polls, connections}: Holders): Router {
	const router = new Router({prefix: '/v1', sensitive: true});
	const longAnswers = new LongAnswers();
	const {credentials} = services;
	const routes = createRoutes(router, {credentials, connections, longAnswers});
	addDaemonRoutes(routes, services);
	addOpenApiRoutes(routes);
	addUserRoutes(routes, services);
	addTeamRoutes(routes, services);
	// Before the inboxes: `/inboxes/keys` is not the inbox "keys".
	addKeyRoutes(routes, services);
	addInboxRoutes(routes, services);
	addWebSessionRoutes(routes, services);
	addImportRoutes(routes, services);
	addMessageRoutes(routes, services, {polls, longAnswers});
	addBounceRoutes(routes, services);
	addFaultRoutes(routes, services, polls);
	addRefusalRoutes(routes, services);
	addNodeRoutes(routes, services);
	addPreviewRoutes(routes, services, longAnswers);
	addTemplateRoutes(routes, services);
	addWebhookRoutes(routes, services, longAnswers);
	addEventRoutes(routes, services, connections);
	router.on(({NotFound}) => NotFound, answerUnmatched);
	return router;
}
