import type {Operation} from '../operation.js';
import {daemonSchema, healthSchema, readySchema} from '../schemas/answers/daemon.js';
import {nodeListSchema} from '../schemas/answers/nodes.js';
import {refusalListSchema} from '../schemas/answers/refusals.js';
import {listRefusals} from '../schemas/refusals.js';

export const daemonOperations = {
	health: {
		at: 'GET /health',
		id: 'getHealth',
		summary: 'Whether the daemon lives',
		caller: 'anybody',
		command: 'tinbox daemon status',
		answer: healthSchema,
	},
	ready: {
		at: 'GET /ready',
		id: 'getReady',
		summary: 'Whether requests and mail can be served',
		description: 'For load balancers and for what waits for the start: 503 until it can serve.',
		caller: 'anybody',
		answer: readySchema,
	},
	openapi: {
		at: 'GET /openapi.json',
		id: 'getOpenApi',
		summary: 'This document',
		caller: 'anybody',
		command: 'tinbox api spec',
		media: {types: ['application/json'], description: 'The OpenAPI document of this API.'},
	},
	daemon: {
		at: 'GET /daemon',
		id: 'getDaemon',
		summary: 'Where mail is taken, and how',
		caller: 'key',
		command: 'tinbox daemon status',
		answer: daemonSchema,
	},
	nodes: {
		at: 'GET /nodes',
		id: 'listNodes',
		summary: 'List the daemons that share the store',
		description: 'Those that came first are first.',
		caller: 'local',
		command: 'tinbox daemon status --nodes',
		answer: nodeListSchema,
	},
	refusals: {
		at: 'GET /refusals',
		id: 'listRefusals',
		summary: 'List mail that was refused',
		caller: 'local',
		query: listRefusals,
		command: 'tinbox doctor',
		answer: refusalListSchema,
	},
} as const satisfies Readonly<Record<string, Operation>>;
