import {createHash} from 'node:crypto';
import {Router} from '@koa/router';
import {describeApi} from '../openapi/document.js';
import type {HttpConnections} from '../server/connections.js';
import type {Polls} from '../server/polls.js';
import {answerUnmatched} from '../server/problems.js';
import {ResponseQueue} from '../server/responses.js';
import type {Services} from '../services.js';
import {addBounceRoutes, bounceOperations} from './bounces.js';
import {addDaemonRoutes, daemonOperations} from './daemon.js';
import {addEventRoutes, eventOperations} from './events.js';
import {addFaultRoutes, faultOperations} from './faults.js';
import {addInboxRoutes, inboxOperations} from './inboxes.js';
import {addKeyRoutes, keyOperations} from './keys.js';
import {addMessageRoutes, messageOperations} from './messages.js';
import type {Operation, OperationGroup} from './operation.js';
import {addPreviewRoutes, createPreviewOperation, previewOperations} from './previews.js';
import {createRoutes, type Routes} from './routing.js';
import {addTemplateRoutes, sendingOperations, templateOperations} from './sending.js';
import {addTeamRoutes, teamOperations} from './teams.js';
import {addUserRoutes, userOperations} from './users.js';
import {addAppSessionRoutes, addWebSessionRoutes, webSessionOperations} from './web-sessions.js';
import {addWebhookRoutes, webhookOperations} from './webhooks.js';

export type RouterOptions = {
	readonly polls: Polls;
	readonly connections: Pick<HttpConnections, 'belongsTo' | 'holdForNews' | 'holderOf' | 'admit' | 'turn'>;
};

/** Router of all routes of `/v1` except `/v1/send`. */
export function createRouter(services: Services, {polls, connections}: RouterOptions): Router {
	const router = new Router({prefix: '/v1', sensitive: true});
	const responseQueue = new ResponseQueue();
	const {credentials} = services;
	const routes = createRoutes(router, {credentials, connections, responseQueue});
	addDaemonRoutes(routes, services);
	addOpenApiRoute(routes);
	addUserRoutes(routes, services);
	addTeamRoutes(routes, services);
	// Before the inboxes: `/inboxes/keys` is not the inbox "keys".
	addKeyRoutes(routes, services);
	addInboxRoutes(routes, services);
	addWebSessionRoutes(routes, services);
	addMessageRoutes(routes, services, {polls, responseQueue, connections});
	addBounceRoutes(routes, services);
	addFaultRoutes(routes, services, polls);
	addPreviewRoutes(routes, services, responseQueue);
	addTemplateRoutes(routes, services);
	addWebhookRoutes(routes, services, responseQueue);
	addEventRoutes(routes, services, connections);
	router.on(({NotFound}) => NotFound, answerUnmatched);
	return router;
}

/** Router of the routes with which the web app logs in and out. Other paths are passed on. */
export function createWebAppRouter(services: Services, connections: RouterOptions['connections']): Router {
	const router = new Router({prefix: '/app', sensitive: true});
	addAppSessionRoutes(router, services, connections);
	router.on(
		({NotFound}) => NotFound,
		(ctx, next) => (ctx.matched?.length ? answerUnmatched(ctx) : next()),
	);
	return router;
}

/** Serves the OpenAPI document, which is created at the first request. */
function addOpenApiRoute(routes: Routes): void {
	let document: {readonly text: string; readonly tag: string} | undefined;
	routes.add(daemonOperations.openapi, async ({ctx}) => {
		document ??= createDocument();
		ctx.set('Cache-Control', 'no-cache');
		ctx.etag = document.tag;
		ctx.type = 'application/json';
		// Koa compares the tags only for a successful response.
		ctx.status = 200;
		ctx.status = ctx.fresh ? 304 : 200;
		ctx.body = ctx.status === 304 ? null : document.text;
	});
}

function createDocument() {
	const text = JSON.stringify(describeApi(operationGroups));
	return {text, tag: createHash('sha256').update(text).digest('base64url').slice(0, 22)};
}

type Operations = Readonly<Record<string, Operation>>;

function group(name: string, description: string, ...all: readonly Operations[]): OperationGroup {
	return {name, description, operations: all.flatMap(some => Object.values(some))};
}

/** All operations of `/v1`, in the order of the OpenAPI document. */
export const operationGroups: readonly OperationGroup[] = [
	group('Inboxes', 'Disposable inboxes: each has its own address and keeps the mail sent to it.', inboxOperations),
	group(
		'Messages',
		'Mail in an inbox: list, wait for, read, import and delete messages.',
		messageOperations,
		bounceOperations,
		{create: createPreviewOperation},
	),
	group(
		'Sending',
		'Sending mail over HTTP. The APIs of Resend, Amazon SES, SendGrid, Postmark and Mailgun are served below `/send/<provider>`, each as its provider documents it.',
		sendingOperations,
	),
	group(
		'Faults',
		'Rules that make mail fail on purpose, to test how an app handles errors and retries.',
		faultOperations.ofInbox,
		faultOperations.ofDaemon,
	),
	group(
		'Webhooks',
		'Endpoints that receive an HTTP request for each event, such as a new message, and the log of these requests.',
		webhookOperations,
	),
	group('Templates', 'Templates that the sending APIs use to fill in mail.', templateOperations),
	group('Events', 'Live stream of changes.', eventOperations),
	group('Keys', 'API keys, and sessions of the web app.', keyOperations, webSessionOperations),
	group('Teams', 'Users who share inboxes.', teamOperations),
	group('Users', 'Users of the daemon, their plans and their tokens.', userOperations),
	group(
		'Previews',
		'Pages that show a message in a browser. The link contains a secret token: anyone who has it can read the message.',
		previewOperations,
	),
	group('Daemon', 'State and settings of the daemon.', daemonOperations),
];
