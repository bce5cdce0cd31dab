import type {Page} from '../../contract/constants.js';
import type {
	CreatedEndpointBody,
	DeliveryBody,
	DeliveryListBody,
	DeliveryResultBody,
	DeliverySummaryBody,
	EndpointBody,
	EndpointReadBody,
} from '../../contract/webhooks.js';
import type {Delivery, Endpoint} from '../../domain/webhooks/delivery.js';
import {sendgridVerificationKey} from '../../domain/webhooks/request.js';
import type {EndpointWithDeliveries} from '../../services/webhooks/webhooks.js';

export function endpointBody(endpoint: Endpoint): EndpointBody {
	const {id, url, format = 'tinbox', events, isActive, createdAt, secret} = endpoint;
	const key = format === 'sendgrid' ? sendgridVerificationKey(secret) : null;
	return {id, url, format, verification_key: key, events, is_active: isActive, created_at: createdAt};
}

export function createdEndpointBody(endpoint: Endpoint): CreatedEndpointBody {
	return {...endpointBody(endpoint), secret: endpoint.secret};
}

export function endpointReadBody({endpoint, deliveries}: EndpointWithDeliveries): EndpointReadBody {
	return {...endpointBody(endpoint), recent_deliveries: deliveries.map(deliverySummaryBody)};
}

export function deliveryListBody(
	{rows, total}: {readonly rows: readonly Delivery[]; readonly total: number},
	{page, limit}: Page,
): DeliveryListBody {
	return {deliveries: rows.map(deliveryBody), pagination: {page, limit, total, pages: Math.ceil(total / limit)}};
}

export function deliveryResultBody(delivery: Delivery): DeliveryResultBody {
	return {delivery: {...deliverySummaryBody(delivery), response_body: delivery.responseBody}};
}

export function deliverySummaryBody(delivery: Delivery): DeliverySummaryBody {
	const {id, event, status, attempts, responseStatus, createdAt} = delivery;
	return {id, event, status, attempts, response_status: responseStatus, created_at: createdAt};
}

export function deliveryBody(delivery: Delivery): DeliveryBody {
	return {
		...deliverySummaryBody(delivery),
		webhook_endpoint_id: delivery.endpointId,
		payload: delivery.body === null ? null : JSON.parse(delivery.body),
		last_attempt_at: delivery.lastAttemptAt,
		response_body: delivery.responseBody,
	};
}
