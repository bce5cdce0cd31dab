import Koa, {type Context, type Next} from 'koa';
import {AppError, stoppingError} from '../domain/errors.js';
import {isLoopback, withoutBrackets} from '../lib/io/hosts.js';
import type {Log} from '../lib/log.js';
import {isOperator} from './api/auth.js';
import {createRouter, createWebAppRouter, type RouterOptions} from './api/index.js';
import {answerMcp, type McpOptions} from './middleware/mcp.js';
import {admitOwnSite, type SiteOptions} from './middleware/own-site.js';
import {rewriteWebAppRequest} from './middleware/web-app.js';
import {answerHome, answerWebPage} from './middleware/web-page.js';
import {answerDocs} from './pages/docs.js';
import {answerSending} from './send/provider-routes.js';
import type {Polls} from './server/polls.js';
import {answerProblems, assertMethod, HttpProblem, logBrokenAnswer, safetyHeaders} from './server/problems.js';
import type {Services} from './services.js';

type AppOptions = SiteOptions & RouterOptions & {readonly mcp: McpOptions; readonly log: Log};

/**
 * Creates the Koa application. Each request is checked in this order: its site (`admitOwnSite`), its `Expect` header (417), its
 * path (404), its method (405), and then, in its route, the credentials (401), the input (400, 413, 415) and the resource (404, 403,
 * 409).
 *
 * `api/<noun>.ts` has everything about a noun: operations, which describe the routes for validation and for the OpenAPI document;
 * `add…Routes(routes, services)`, whose handlers call services; and `…Body` functions, which present records as bodies.
 * Failures are thrown.
 */
export function createKoaApp(services: Services, {polls, connections, mcp, log, ...site}: AppOptions): Koa {
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
	app.use(rewriteWebAppRequest(services.credentials));
	app.use(answerMcp({...services, ...mcp, connections, log}));
	app.use(createWebAppRouter(services, connections).routes());
	app.use(answerWebPage());
	app.use(createRouter(services, {polls, connections}).routes());
	return app;
}

/** Rejects requests that arrive while the server stops. */
function refuseWhenStopping(polls: Polls) {
	return (ctx: Context, next: Next): Promise<void> => {
		if (polls.isStopping) {
			ctx.set('Connection', 'close');
			throw stoppingError();
		}

		return next();
	};
}

/** Rejects unknown expectations (RFC 9110, section 10.1.1). */
function refuseExpectations({req}: Context, next: Next): Promise<void> {
	const {expect = '100-continue'} = req.headers;
	if (expect.toLowerCase() !== '100-continue') {
		throw new HttpProblem('expectation_failed', 'Unsupported Expect header. Supported: "100-continue".');
	}

	return next();
}

/** Headers that proxies add. */
const proxyHeaders = ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP', 'Via'];

/** Serves Prometheus metrics at `/metrics`: to programs on this machine, and to the operator from anywhere. */
function answerMetrics({credentials, metrics}: Pick<Services, 'credentials' | 'metrics'>) {
	return async (ctx: Context, next: Next): Promise<void> => {
		if (ctx.path !== '/metrics') {
			return next();
		}

		assertMethod(ctx, ['GET', 'HEAD'], 'The Allow header lists the supported methods.');
		if (!isFromThisMachine(ctx) && !isOperator(ctx, credentials)) {
			throw new AppError(
				'forbidden',
				'From another machine or through a proxy, /metrics requires the operator token. Send it in the header "Authorization: Bearer <token>".',
			);
		}

		ctx.set('Content-Type', metrics.type);
		ctx.body = await metrics.read();
	};
}

/**
 * True for a loopback connection to a loopback host name without proxy headers. A proxy on this machine uses another host name
 * or adds headers.
 */
function isFromThisMachine(ctx: Context): boolean {
	return (
		isLoopback(ctx.req.socket.remoteAddress ?? '') &&
		isLoopback(withoutBrackets(ctx.hostname)) &&
		proxyHeaders.every(name => ctx.get(name) === '')
	);
}
