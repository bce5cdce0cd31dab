import type {DaemonBody, NodeListBody, RefusalListBody} from '../contract/daemon.js';
import {type Caller, path} from './caller.js';

/** The daemon; needs the API key. */
export function daemonClient({json}: Caller) {
	return {
		/** OpenAPI document of the API. */
		openApi: () => json<object>({method: 'GET', path: path`/openapi.json`, auth: 'key'}),
		get: () => json<DaemonBody>({method: 'GET', path: path`/daemon`, auth: 'key'}, {smtp: {}, tls: {}}),
	};
}

/** Daemon processes that share the store; for the operator and the local user. */
export function nodesClient({json}: Caller) {
	return {
		list: () => json<NodeListBody>({method: 'GET', path: path`/nodes`, auth: 'either'}, {nodes: [{}]}),
	};
}

/** Refused mail; for the operator and the local user. */
export function refusalsClient({json}: Caller) {
	return {
		list: async (query: {readonly limit?: number} = {}) => {
			const call = {method: 'GET', path: path`/refusals`, auth: 'either', query} as const;
			return (await json<RefusalListBody>(call, {refusals: [{client: {}}]})).refusals;
		},
	};
}
