import type {NodeBody} from '../../contract/daemon.js';
import type {Node} from '../../domain/node.js';

export function nodeBody({heartbeatAt, ...node}: Node): NodeBody {
	const {id, name, version, address, since, waits, sessions, state} = node;
	return {id, name, version, address, since, heartbeat_at: heartbeatAt, waits, sessions, state};
}
