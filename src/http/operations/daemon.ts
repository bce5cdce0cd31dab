import {
	daemonSchema,
	healthSchema,
	listRefusalsSchema,
	nodeListSchema,
	readySchema,
	refusalListSchema,
} from '../../contract/daemon.js';
import type {Operation} from '../operation.js';

export const daemonOperations = {
	health: {
		at: 'GET /health',
		id: 'getHealth',
		summary: 'Check that the daemon is running',
		description:
			'For liveness probes: returns 200 while the process answers. With credentials it also returns the SMTP address.',
		caller: 'anybody',
		command: 'tinbox daemon status',
		answer: healthSchema,
	},
	ready: {
		at: 'GET /ready',
		id: 'getReady',
		summary: 'Check that the daemon is ready',
		description:
			'For load balancers and readiness probes: returns 503 while the daemon cannot serve requests or accept mail.',
		caller: 'anybody',
		answer: readySchema,
	},
	openapi: {
		at: 'GET /openapi.json',
		id: 'getOpenApi',
		summary: 'Get the OpenAPI document',
		caller: 'anybody',
		command: 'tinbox api spec',
		media: {types: ['application/json'], description: 'The OpenAPI document of this API.'},
	},
	daemon: {
		at: 'GET /daemon',
		id: 'getDaemon',
		summary: 'Get the mail settings of the daemon',
		description: 'Returns the SMTP address, the SMTP authentication mode and the TLS settings.',
		caller: 'key',
		command: 'tinbox daemon status',
		answer: daemonSchema,
	},
	nodes: {
		at: 'GET /nodes',
		id: 'listNodes',
		summary: 'List the nodes that share the store',
		description: 'A node is a daemon process. The oldest node is listed first.',
		caller: 'local',
		command: 'tinbox daemon status --nodes',
		answer: nodeListSchema,
	},
	refusals: {
		at: 'GET /refusals',
		id: 'listRefusals',
		summary: 'List rejected mail',
		description:
			'Returns mail that SMTP or the sending APIs rejected, and failed TLS handshakes and logins. The newest is listed first.',
		caller: 'local',
		query: listRefusalsSchema,
		command: 'tinbox doctor',
		answer: refusalListSchema,
	},
} as const satisfies Readonly<Record<string, Operation>>;
