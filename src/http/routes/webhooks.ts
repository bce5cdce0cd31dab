import type {DoneBody} from '../../contract/answers.js';
import type {EndpointListBody} from '../../contract/webhooks.js';
import {userByKey} from '../auth.js';
import {readQuery} from '../input.js';
import {answerJson} from '../json-answer.js';
import type {LongAnswers} from '../long-answers.js';
import {
	createdEndpointBody,
	deliveryListBody,
	deliveryResultBody,
	endpointBody,
	endpointReadBody,
} from '../present/webhooks.js';
import type {RoutesFor} from '../routing.js';
import {createEndpoint, listDeliveries, updateEndpoint} from '../schemas/webhooks.js';
import type {Services} from '../services.js';

export function addWebhookRoutes(
	routesFor: RoutesFor,
	{credentials, webhooks}: Services,
	longAnswers: LongAnswers,
): void {
	const routes = routesFor(ctx => userByKey(ctx, credentials));
	routes.create('/webhooks', async ({user, readBody}) => {
		return createdEndpointBody(await webhooks.create(user, await readBody(createEndpoint)));
	});

	routes.list('/webhooks', async ({user}) => webhooks.list(user), {
		bodyOf: async row => endpointBody(row),
		wrap: endpoints => ({endpoints}) satisfies EndpointListBody,
	});

	routes.get('/webhooks/:endpointId', async ({user, params}) => {
		return endpointReadBody(await webhooks.get(user, params.endpointId));
	});

	routes.put('/webhooks/:endpointId', async ({user, params, readBody}) => {
		const {is_active: isActive, ...others} = await readBody(updateEndpoint);
		const patch = {...others, ...(isActive !== undefined && {isActive})};
		return endpointBody(await webhooks.update(user, params.endpointId, patch));
	});

	routes.delete('/webhooks/:endpointId', async ({user, params}) => {
		await webhooks.delete(user, params.endpointId);
		return {message: 'The webhook endpoint is deleted, and its deliveries with it.'} satisfies DoneBody;
	});

	routes.get('/webhooks/:endpointId/deliveries', async ({ctx, user, params}) => {
		const {page, limit, ...filter} = readQuery(ctx, listDeliveries);
		const rows = await webhooks.deliveries(user, params.endpointId, filter, {page, limit});
		return answerJson(ctx, {owner: user.id, longAnswers, make: () => deliveryListBody(rows, {page, limit})});
	});

	routes.post('/webhooks/:endpointId/test', async ({user, params}) => {
		return deliveryResultBody(await webhooks.test(user, params.endpointId));
	});

	routes.post('/webhooks/:endpointId/deliveries/:deliveryId/redeliver', async ({user, params}) => {
		return deliveryResultBody(await webhooks.redeliver(user, params.endpointId, params.deliveryId));
	});
}
