import type {DaemonBody, NodeListBody, RefusalListBody} from '../contract/daemon.js';
import {type Caller, jsonRequests, path} from './caller.js';

/** The daemon; needs the API key. */
export function daemonClient(caller: Caller) {
	const {get} = jsonRequests(caller, 'key');
	return {
		/** OpenAPI document of the API. */
		openApi: () => get<object>(path`/openapi.json`),
		get: () => get<DaemonBody>(path`/daemon`, {shape: {smtp: {}, tls: {}}}),
	};
}

/** Daemon processes that share the store; for the operator and the local user. */
export function nodesClient(caller: Caller) {
	const {get} = jsonRequests(caller, 'either');
	return {
		list: () => get<NodeListBody>(path`/nodes`, {shape: {nodes: [{}]}}),
	};
}

/** Refused mail; for the operator and the local user. */
export function refusalsClient(caller: Caller) {
	const {get} = jsonRequests(caller, 'either');
	return {
		list: async (query: {readonly limit?: number} = {}) =>
			(await get<RefusalListBody>(path`/refusals`, {query, shape: {refusals: [{client: {}}]}})).refusals,
	};
}
