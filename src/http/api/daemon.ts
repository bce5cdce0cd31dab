import type {Context} from 'koa';
import {
	type DaemonBody,
	daemonSchema,
	type HealthBody,
	healthSchema,
	listRefusalsSchema,
	type NodeBody,
	nodeListSchema,
	type ReadyBody,
	readySchema,
	refusalListSchema,
	type TlsBody,
} from '../../contract/daemon.js';
import {AppError} from '../../domain/errors.js';
import type {Node} from '../../domain/node.js';
import {type HostPort, hostPort, isEverywhere, withoutBrackets} from '../../lib/io/hosts.js';
import {version} from '../../lib/version.js';
import type {Services} from '../services.js';
import {hasCredentials} from './auth.js';
import type {Operation} from './operation.js';
import type {Routes} from './routing.js';

export const daemonOperations = {
	health: {
		route: 'GET /health',
		id: 'getHealth',
		summary: 'Check that the daemon is running',
		description:
			'For liveness probes: returns 200 while the process answers. With credentials it also returns the SMTP address.',
		caller: 'anybody',
		command: 'tinbox daemon status',
		response: healthSchema,
	},
	ready: {
		route: 'GET /ready',
		id: 'getReady',
		summary: 'Check that the daemon is ready',
		description:
			'For load balancers and readiness probes: returns 503 while the daemon cannot serve requests or accept mail.',
		caller: 'anybody',
		response: readySchema,
	},
	openapi: {
		route: 'GET /openapi.json',
		id: 'getOpenApi',
		summary: 'Get the OpenAPI document',
		caller: 'anybody',
		command: 'tinbox api spec',
		media: {types: ['application/json'], description: 'The OpenAPI document of this API.'},
	},
	daemon: {
		route: 'GET /daemon',
		id: 'getDaemon',
		summary: 'Get the mail settings of the daemon',
		description: 'Returns the SMTP address, the SMTP authentication mode and the TLS settings.',
		command: 'tinbox daemon status',
		response: daemonSchema,
	},
	nodes: {
		route: 'GET /nodes',
		id: 'listNodes',
		summary: 'List the nodes that share the store',
		description: 'A node is a daemon process. The oldest node is listed first.',
		caller: 'local',
		command: 'tinbox daemon status --nodes',
		response: nodeListSchema,
	},
	refusals: {
		route: 'GET /refusals',
		id: 'listRefusals',
		summary: 'List rejected mail',
		description:
			'Returns mail that SMTP or the sending APIs rejected, and failed TLS handshakes and logins. The newest is listed first.',
		caller: 'local',
		query: listRefusalsSchema,
		command: 'tinbox doctor',
		response: refusalListSchema,
	},
} as const satisfies Readonly<Record<string, Operation>>;

/** Status, settings, nodes and refused mail. The SMTP address requires credentials, and the SMTP login an API key. */
export function addDaemonRoutes(routes: Routes, services: Services): void {
	const {credentials, smtpSettings, tls, nodes, refusals} = services;
	routes.add(daemonOperations.health, async ({ctx}) => {
		const status = services.isAvailable() ? 'ok' : 'degraded';
		const isAuthenticated = await hasCredentials(ctx, credentials);
		const smtp = smtpSettings.address();
		return {status, version, ...(isAuthenticated && smtp && {smtp: addressFor(ctx, smtp)})} satisfies HealthBody;
	});
	routes.add(daemonOperations.ready, async () => {
		if (!(services.isAvailable() && smtpSettings.address())) {
			throw new AppError('unavailable', 'The daemon is not ready. Try again later.', {retryAfter: 1});
		}

		return {status: 'ready', version} satisfies ReadyBody;
	});
	routes.add(daemonOperations.daemon, async ({ctx}) => {
		const {domain} = smtpSettings;
		const smtp = {...smtpAddressFor(ctx, smtpSettings), ...authBody(smtpSettings)};
		return {version, domain, smtp, tls: await tlsBody(ctx, tls)};
	});
	routes.add(daemonOperations.nodes, async () => ({nodes: (await nodes.list()).map(nodeBody)}));
	routes.add(daemonOperations.refusals, async ({query}) => ({refusals: refusals.latest(query.limit)}));
}

async function tlsBody(ctx: Context, {mode, authority, ...listeners}: Services['tls']): Promise<TlsBody> {
	const [smtps, https] = [listeners.smtps(), listeners.https()];
	return {
		mode,
		smtps: smtps ? addressFor(ctx, smtps) : null,
		https_url: https ? `https://${hostPort(addressFor(ctx, https))}/v1` : null,
		ca: await authority(),
	};
}

function authBody({loginPolicy, authNeedsTls}: Services['smtpSettings']) {
	const isLogin = typeof loginPolicy === 'object';
	return {
		auth_mode: isLogin ? 'login' : loginPolicy,
		auth: isLogin ? loginPolicy : null,
		auth_needs_tls: authNeedsTls,
	} satisfies Partial<DaemonBody['smtp']>;
}

function nodeBody({heartbeatAt, ...node}: Node): NodeBody {
	const {id, name, version, address, since, waits, sessions, state} = node;
	return {id, name, version, address, since, heartbeat_at: heartbeatAt, waits, sessions, state};
}

/** Address of a listener for a client: a listener on all interfaces has the host that the request was sent to. */
export function addressFor({hostname}: Context, {host, port}: HostPort): HostPort {
	return {host: isEverywhere(host) ? withoutBrackets(hostname) : host, port};
}

/** SMTP address for a client. Throws `stopping` while no mail is accepted. */
export function smtpAddressFor(ctx: Context, intake: Services['smtpSettings']): HostPort {
	const smtp = intake.address();
	if (!smtp) {
		throw new AppError('stopping', 'This daemon is not accepting mail. Try again later.');
	}

	return addressFor(ctx, smtp);
}
