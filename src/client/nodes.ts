import type {NodeListBody} from '../contract/daemon.js';
import {type Caller, path} from './caller.js';

/** The daemon processes that share what is kept, for the operator and the local user. */
export function nodesClient({json}: Caller) {
	return {
		list: () => json<NodeListBody>({method: 'GET', path: path`/nodes`, auth: 'either'}, {nodes: [{}]}),
	};
}
