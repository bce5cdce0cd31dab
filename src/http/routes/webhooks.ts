import {answerJson} from '../json-answer.js';
import type {LongAnswers} from '../long-answers.js';
import {webhookOperations} from '../operations/webhooks.js';
import {
	createdEndpointBody,
	deliveryBody,
	deliveryListBody,
	deliveryResultBody,
	endpointBody,
	endpointReadBody,
} from '../present/webhooks.js';
import type {Routes} from '../routing.js';
import type {Services} from '../services.js';

export function addWebhookRoutes(routes: Routes, {webhooks}: Services, longAnswers: LongAnswers): void {
	routes.add(webhookOperations.create, async ({user, body}) => {
		return createdEndpointBody(await webhooks.create(user, body));
	});

	routes.addList(webhookOperations.list, async ({user}) => webhooks.list(user), {
		bodyOf: async row => endpointBody(row),
		wrap: endpoints => ({endpoints}),
	});

	routes.add(webhookOperations.get, async ({user, params}) => {
		return endpointReadBody(await webhooks.get(user, params.endpointId));
	});

	routes.add(webhookOperations.update, async ({user, params, body}) => {
		const {is_active: isActive, ...others} = body;
		const patch = {...others, ...(isActive !== undefined && {isActive})};
		return endpointBody(await webhooks.update(user, params.endpointId, patch));
	});

	routes.add(webhookOperations.delete, async ({user, params}) => {
		await webhooks.delete(user, params.endpointId);
		return {message: 'The webhook endpoint and its deliveries were deleted.'};
	});

	routes.add(webhookOperations.deliveries, async ({ctx, user, params, query}) => {
		const {page, limit, message_id: messageId, ...filter} = query;
		const rows = await webhooks.deliveries(user, params.endpointId, {...filter, messageId}, {page, limit});
		return answerJson(ctx, {owner: user.id, longAnswers, make: () => deliveryListBody(rows, {page, limit})});
	});

	routes.add(webhookOperations.delivery, async ({user, params}) => {
		return deliveryBody(await webhooks.delivery(user, params.endpointId, params.deliveryId));
	});

	routes.add(webhookOperations.test, async ({user, params}) => {
		return deliveryResultBody(await webhooks.test(user, params.endpointId));
	});

	routes.add(webhookOperations.redeliver, async ({user, params}) => {
		return deliveryResultBody(await webhooks.redeliver(user, params.endpointId, params.deliveryId));
	});
}
