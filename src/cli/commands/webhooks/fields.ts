import type {
	CreatedEndpointBody,
	DeliveryBody,
	DeliveryResultBody,
	EndpointBody,
	EndpointReadBody,
} from '../../../contract/webhooks.js';
import type {FieldsOf} from '../../options.js';

export const endpointFields: FieldsOf<EndpointBody> = {
	id: true,
	url: true,
	events: true,
	is_active: true,
	created_at: true,
};

export const createdEndpointFields: FieldsOf<CreatedEndpointBody> = {...endpointFields, secret: true};

/** Those of the single read. */
export const fullEndpointFields: FieldsOf<EndpointReadBody> = {...endpointFields, recent_deliveries: true};

/** Those of a test and of a redelivery. */
export const deliveryResultFields: FieldsOf<DeliveryResultBody['delivery']> = {
	id: true,
	event: true,
	status: true,
	attempts: true,
	response_status: true,
	response_body: true,
	created_at: true,
};

export const deliveryFields: FieldsOf<DeliveryBody> = {
	...deliveryResultFields,
	webhook_endpoint_id: true,
	payload: true,
	last_attempt_at: true,
};
