import {daemonOperations} from '../operations/daemon.js';
import type {Routes} from '../routing.js';
import type {Services} from '../services.js';

export function addRefusalRoutes(routes: Routes, {refusals}: Services): void {
	routes.add(daemonOperations.refusals, async ({query}) => ({refusals: refusals.latest(query.limit)}));
}
