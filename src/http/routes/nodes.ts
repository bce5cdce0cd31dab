import type {NodeListBody} from '../../contract/nodes.js';
import {localUserOrOperator} from '../auth.js';
import {nodeBody} from '../present/nodes.js';
import type {RoutesFor} from '../routing.js';
import type {Services} from '../services.js';

/** For the operator and the local user. */
export function addNodeRoutes(routesFor: RoutesFor, {credentials, nodes}: Services): void {
	routesFor(ctx => localUserOrOperator(ctx, credentials)).get('/nodes', async () => {
		return {nodes: (await nodes.list()).map(nodeBody)} satisfies NodeListBody;
	});
}
