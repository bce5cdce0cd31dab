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
import {type Caller, jsonRequests, path} from './caller.js';

/** Timeout of an attempt, which may be queued behind other attempts for the same receiver. */
const deadlineMs = 60_000;

/** Webhook endpoints of the user of the API key. */
export function webhooksClient(caller: Caller) {
	const {get, post, put, remove} = jsonRequests(caller, 'key');
	return {
		create: (body: CreateEndpoint) => post<CreatedEndpointBody>(path`/webhooks`, {body}),
		list: () => get<EndpointListBody>(path`/webhooks`, {shape: {endpoints: [{}]}}),
		get: (id: string) => get<EndpointReadBody>(path`/webhooks/${id}`, {shape: {recent_deliveries: [{}]}}),
		update: (id: string, body: UpdateEndpoint) => put<EndpointBody>(path`/webhooks/${id}`, {body}),
		delete: (id: string) => remove<DoneBody>(path`/webhooks/${id}`),
		deliveries: (id: string, query: ListDeliveries = {}) =>
			get<DeliveryListBody>(path`/webhooks/${id}/deliveries`, {query, shape: {deliveries: [{}]}}),
		delivery: (id: string, deliveryId: string) => get<DeliveryBody>(path`/webhooks/${id}/deliveries/${deliveryId}`),
		/** Makes one attempt and returns its result. */
		test: (id: string) => post<DeliveryResultBody>(path`/webhooks/${id}/test`, {deadlineMs, shape: {delivery: {}}}),
		redeliver: (id: string, deliveryId: string) =>
			post<DeliveryResultBody>(path`/webhooks/${id}/deliveries/${deliveryId}/redeliver`, {
				deadlineMs,
				shape: {delivery: {}},
			}),
	};
}
