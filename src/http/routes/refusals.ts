import type {RefusalListBody} from '../../contract/refusals.js';
import {localUserOrOperator} from '../auth.js';
import {readQuery} from '../input.js';
import type {RoutesFor} from '../routing.js';
import {listRefusals} from '../schemas/refusals.js';
import type {Services} from '../services.js';

export function addRefusalRoutes(routesFor: RoutesFor, {credentials, refusals}: Services): void {
	const routes = routesFor(ctx => localUserOrOperator(ctx, credentials));
	routes.get('/refusals', async ({ctx}) => {
		return {refusals: refusals.latest(readQuery(ctx, listRefusals).limit)} satisfies RefusalListBody;
	});
}
