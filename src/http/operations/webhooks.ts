import type {Operation} from '../operation.js';
import {doneSchema} from '../schemas/answers/daemon.js';
import {
	createdEndpointSchema,
	deliveryListSchema,
	deliveryResultSchema,
	deliverySchema,
	endpointListSchema,
	endpointReadSchema,
	endpointSchema,
} from '../schemas/answers/webhooks.js';
import {createEndpoint, listDeliveries, updateEndpoint} from '../schemas/webhooks.js';

const single = '/webhooks/:endpointId';
const delivery = `${single}/deliveries/:deliveryId` as const;

export const webhookOperations = {
	create: {
		at: 'POST /webhooks',
		id: 'createEndpoint',
		summary: 'Create a webhook endpoint',
		description: 'The response contains the signing secret. It cannot be retrieved again.',
		caller: 'key',
		body: createEndpoint,
		example: {url: 'http://127.0.0.1:3000/hooks'},
		command: 'tinbox webhooks create http://127.0.0.1:3000/hooks',
		status: 201,
		answer: createdEndpointSchema,
		errors: ['limit_reached'],
		created: 'endpointId',
	},
	list: {
		at: 'GET /webhooks',
		id: 'listEndpoints',
		summary: 'List the webhook endpoints of the caller',
		caller: 'key',
		command: 'tinbox webhooks list',
		answer: endpointListSchema,
		ids: {endpointId: 'endpoints/0/id'},
	},
	get: {
		at: `GET ${single}`,
		id: 'getEndpoint',
		summary: 'Get a webhook endpoint',
		description: 'Returns the endpoint and its 20 newest deliveries.',
		caller: 'key',
		command: 'tinbox webhooks show http://127.0.0.1:3000/hooks',
		answer: endpointReadSchema,
		ids: {deliveryId: 'recent_deliveries/0/id'},
	},
	update: {
		at: `PUT ${single}`,
		id: 'updateEndpoint',
		summary: 'Update a webhook endpoint',
		description: 'Fields that are left out keep their values.',
		caller: 'key',
		body: updateEndpoint,
		example: {is_active: false},
		command: 'tinbox webhooks update http://127.0.0.1:3000/hooks --no-active',
		answer: endpointSchema,
	},
	delete: {
		at: `DELETE ${single}`,
		id: 'deleteEndpoint',
		summary: 'Delete a webhook endpoint and its deliveries',
		caller: 'key',
		command: 'tinbox webhooks delete http://127.0.0.1:3000/hooks',
		answer: doneSchema,
	},
	deliveries: {
		at: `GET ${single}/deliveries`,
		id: 'listDeliveries',
		summary: 'List the deliveries of a webhook endpoint',
		description: 'Returns the newest delivery first.',
		caller: 'key',
		query: listDeliveries,
		command: 'tinbox webhooks deliveries http://127.0.0.1:3000/hooks',
		answer: deliveryListSchema,
		ids: {deliveryId: 'deliveries/0/id'},
	},
	delivery: {
		at: `GET ${delivery}`,
		id: 'getDelivery',
		summary: 'Get a delivery',
		caller: 'key',
		answer: deliverySchema,
	},
	test: {
		at: `POST ${single}/test`,
		id: 'testEndpoint',
		summary: 'Send a test delivery',
		description: 'Makes one attempt with a sample payload and returns its result. A test is not retried.',
		caller: 'key',
		command: 'tinbox webhooks test http://127.0.0.1:3000/hooks',
		answer: deliveryResultSchema,
		ids: {deliveryId: 'delivery/id'},
	},
	redeliver: {
		at: `POST ${delivery}/redeliver`,
		id: 'redeliver',
		summary: 'Repeat a delivery',
		description:
			'Makes one attempt immediately, with the same id and body, and returns its result. If it fails before the third attempt, it is retried.',
		caller: 'key',
		command: 'tinbox webhooks redeliver http://127.0.0.1:3000/hooks <delivery>',
		answer: deliveryResultSchema,
	},
} as const satisfies Readonly<Record<string, Operation>>;
