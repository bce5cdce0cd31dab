import {doneSchema} from '../../contract/common.js';
import {
	createdEndpointSchema,
	createEndpointSchema,
	type DeliveryBody,
	type DeliveryResultBody,
	type DeliverySummaryBody,
	deliveryListSchema,
	deliveryResultSchema,
	deliverySchema,
	type EndpointBody,
	endpointListSchema,
	endpointReadSchema,
	endpointSchema,
	listDeliveriesSchema,
	updateEndpointSchema,
} from '../../contract/webhooks.js';
import type {Delivery, Endpoint} from '../../domain/webhooks/delivery.js';
import {sendgridVerificationKey} from '../../domain/webhooks/request.js';
import {answerJson, type ResponseQueue} from '../server/responses.js';
import type {Services} from '../services.js';
import type {Operation} from './operation.js';
import type {Routes} from './routing.js';

const single = '/webhooks/:endpointId';
const delivery = `${single}/deliveries/:deliveryId` as const;

export const webhookOperations = {
	create: {
		route: 'POST /webhooks',
		id: 'createEndpoint',
		summary: 'Create a webhook endpoint',
		description: 'The response contains the signing secret. It cannot be retrieved again.',
		body: createEndpointSchema,
		example: {url: 'http://127.0.0.1:3000/hooks'},
		command: 'tinbox webhooks create http://127.0.0.1:3000/hooks',
		status: 201,
		response: createdEndpointSchema,
		errors: ['limit_reached'],
		locationParam: 'endpointId',
	},
	list: {
		route: 'GET /webhooks',
		id: 'listEndpoints',
		summary: 'List the webhook endpoints of the caller',
		command: 'tinbox webhooks list',
		response: endpointListSchema,
		responseIds: {endpointId: 'endpoints/0/id'},
	},
	get: {
		route: `GET ${single}`,
		id: 'getEndpoint',
		summary: 'Get a webhook endpoint',
		description: 'Returns the endpoint and its 20 newest deliveries.',
		command: 'tinbox webhooks show http://127.0.0.1:3000/hooks',
		response: endpointReadSchema,
		responseIds: {deliveryId: 'recent_deliveries/0/id'},
	},
	update: {
		route: `PUT ${single}`,
		id: 'updateEndpoint',
		summary: 'Update a webhook endpoint',
		description: 'Fields that are left out keep their values.',
		body: updateEndpointSchema,
		example: {is_active: false},
		command: 'tinbox webhooks update http://127.0.0.1:3000/hooks --no-active',
		response: endpointSchema,
	},
	delete: {
		route: `DELETE ${single}`,
		id: 'deleteEndpoint',
		summary: 'Delete a webhook endpoint and its deliveries',
		command: 'tinbox webhooks delete http://127.0.0.1:3000/hooks',
		response: doneSchema,
	},
	deliveries: {
		route: `GET ${single}/deliveries`,
		id: 'listDeliveries',
		summary: 'List the deliveries of a webhook endpoint',
		description: 'Returns the newest delivery first.',
		query: listDeliveriesSchema,
		command: 'tinbox webhooks deliveries http://127.0.0.1:3000/hooks',
		response: deliveryListSchema,
		responseIds: {deliveryId: 'deliveries/0/id'},
	},
	delivery: {
		route: `GET ${delivery}`,
		id: 'getDelivery',
		summary: 'Get a delivery',
		response: deliverySchema,
	},
	test: {
		route: `POST ${single}/test`,
		id: 'testEndpoint',
		summary: 'Send a test delivery',
		description: 'Makes one attempt with a sample payload and returns its result. A test is not retried.',
		command: 'tinbox webhooks test http://127.0.0.1:3000/hooks',
		response: deliveryResultSchema,
		responseIds: {deliveryId: 'delivery/id'},
	},
	redeliver: {
		route: `POST ${delivery}/redeliver`,
		id: 'redeliver',
		summary: 'Repeat a delivery',
		description:
			'Makes one attempt immediately, with the same id and body, and returns its result. If it fails before the third attempt, it is retried.',
		command: 'tinbox webhooks redeliver http://127.0.0.1:3000/hooks <delivery>',
		response: deliveryResultSchema,
	},
} as const satisfies Readonly<Record<string, Operation>>;

export function addWebhookRoutes(routes: Routes, {webhooks}: Services, responseQueue: ResponseQueue): void {
	routes.add(webhookOperations.create, async ({user, body}) => {
		const endpoint = await webhooks.create(user, body);
		return {...endpointBody(endpoint), secret: endpoint.secret};
	});

	routes.addList(webhookOperations.list, async ({user}) => webhooks.list(user), {
		bodyOf: async row => endpointBody(row),
		wrap: endpoints => ({endpoints}),
	});

	routes.add(webhookOperations.get, async ({user, params}) => {
		const {endpoint, deliveries} = await webhooks.get(user, params.endpointId);
		return {...endpointBody(endpoint), recent_deliveries: deliveries.map(deliverySummaryBody)};
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
		const {rows, total} = await webhooks.deliveries(user, params.endpointId, {...filter, messageId}, {page, limit});
		const pagination = {page, limit, total, pages: Math.ceil(total / limit)};
		const make = () => ({deliveries: rows.map(deliveryBody), pagination});
		return answerJson(ctx, {owner: user.id, responseQueue, make});
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

function endpointBody(endpoint: Endpoint): EndpointBody {
	const {id, url, format = 'tinbox', events, isActive, createdAt, secret} = endpoint;
	const key = format === 'sendgrid' ? sendgridVerificationKey(secret) : null;
	return {id, url, format, verification_key: key, events, is_active: isActive, created_at: createdAt};
}

function deliveryResultBody(delivery: Delivery): DeliveryResultBody {
	return {delivery: {...deliverySummaryBody(delivery), response_body: delivery.responseBody}};
}

export function deliverySummaryBody(delivery: Delivery): DeliverySummaryBody {
	const {id, event, status, attempts, responseStatus, createdAt} = delivery;
	return {id, event, status, attempts, response_status: responseStatus, created_at: createdAt};
}

function deliveryBody(delivery: Delivery): DeliveryBody {
	return {
		...deliverySummaryBody(delivery),
		webhook_endpoint_id: delivery.endpointId,
		payload: delivery.body === null ? null : JSON.parse(delivery.body),
		last_attempt_at: delivery.lastAttemptAt,
		response_body: delivery.responseBody,
	};
}
