import type {DoneBody} from '../contract/common.js';
import type {
	CreatedEndpointBody,
	CreateEndpoint,
	DeliveryBody,
	DeliveryListBody,
	DeliveryResultBody,
	EndpointBody,
	EndpointListBody,
	EndpointReadBody,
	ListDeliveries,
	UpdateEndpoint,
} from '../contract/webhooks.js';
import {type Caller, path} from './caller.js';

/** Timeout of an attempt, which may be queued behind other attempts for the same receiver. */
const deadlineMs = 60_000;

/** Webhook endpoints of the user of the API key. */
export function webhooksClient({json}: Caller) {
	const auth = 'key';
	return {
		create: (body: CreateEndpoint) => json<CreatedEndpointBody>({method: 'POST', path: path`/webhooks`, auth, body}),
		list: () => json<EndpointListBody>({method: 'GET', path: path`/webhooks`, auth}, {endpoints: [{}]}),
		get: (id: string) =>
			json<EndpointReadBody>({method: 'GET', path: path`/webhooks/${id}`, auth}, {recent_deliveries: [{}]}),
		update: (id: string, body: UpdateEndpoint) =>
			json<EndpointBody>({method: 'PUT', path: path`/webhooks/${id}`, auth, body}),
		delete: (id: string) => json<DoneBody>({method: 'DELETE', path: path`/webhooks/${id}`, auth}),
		deliveries: (id: string, query: ListDeliveries = {}) =>
			json<DeliveryListBody>({method: 'GET', path: path`/webhooks/${id}/deliveries`, auth, query}, {deliveries: [{}]}),
		delivery: (id: string, deliveryId: string) =>
			json<DeliveryBody>({method: 'GET', path: path`/webhooks/${id}/deliveries/${deliveryId}`, auth}),
		/** Makes one attempt and returns its result. */
		test: (id: string) =>
			json<DeliveryResultBody>({method: 'POST', path: path`/webhooks/${id}/test`, auth, deadlineMs}, {delivery: {}}),
		redeliver: (id: string, deliveryId: string) =>
			json<DeliveryResultBody>(
				{
					method: 'POST',
					path: path`/webhooks/${id}/deliveries/${deliveryId}/redeliver`,
					auth,
					deadlineMs,
				},
				{delivery: {}},
			),
	};
}
