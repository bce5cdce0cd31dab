import {daemonOperations} from '../operations/daemon.js';
import {nodeBody} from '../present/nodes.js';
import type {Routes} from '../routing.js';
import type {Services} from '../services.js';

/** For the operator and the local user. */
export function addNodeRoutes(routes: Routes, {nodes}: Services): void {
	routes.add(daemonOperations.nodes, async () => ({nodes: (await nodes.list()).map(nodeBody)}));
}
