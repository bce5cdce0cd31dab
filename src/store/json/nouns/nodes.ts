import type {Node} from '../../../domain/node.js';
import type {NodeStore} from '../../port.js';

/** The only node there is, in memory. */
export function createNodeStore(): NodeStore {
	let node: Node | undefined;
	return {
		beat: async report => {
			const heartbeatAt = new Date().toISOString();
			node = {...report, since: node?.since ?? heartbeatAt, heartbeatAt, state: 'up'};
		},
		leave: async id => {
			node = node?.id === id ? undefined : node;
		},
		list: async () => (node ? [node] : []),
	};
}
