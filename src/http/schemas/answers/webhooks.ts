import {z} from 'zod';
import {deliveryStatuses, endpointFormats} from '../../../contract/constants.js';
import type {
	CreatedEndpointBody,
	DeliveryBody,
	DeliveryListBody,
	DeliveryResultBody,
	DeliverySummaryBody,
	EndpointBody,
	EndpointListBody,
	EndpointReadBody,
} from '../../../contract/webhooks.js';
import {bodySchema} from '../body-schema.js';
import {endpointTexts, webhookEventField} from '../webhooks.js';
import {amountField, pageAnswer, timeField, totalField} from './fields.js';

export const endpointSchema = bodySchema<EndpointBody>()(
	'Endpoint',
	z.object({
		id: z.string().describe('Id of the endpoint.'),
		url: z.string().describe('URL that receives the requests.'),
		format: z.enum(endpointFormats).describe(endpointTexts.format),
		verification_key: z
			.string()
			.nullable()
			.describe('Public key that verifies the signatures of the `sendgrid` format; null for other formats.'),
		events: z.array(webhookEventField).describe(endpointTexts.events),
		is_active: z.boolean().describe(endpointTexts.is_active),
		created_at: timeField.describe('Time when the endpoint was created.'),
	}),
);

export const createdEndpointSchema = bodySchema<CreatedEndpointBody>()(
	'CreatedEndpoint',
	endpointSchema.extend({secret: z.string().describe('Secret that signs the requests, only returned here.')}),
);

export const endpointListSchema = bodySchema<EndpointListBody>()(
	'EndpointList',
	z.object({endpoints: z.array(endpointSchema).describe('Webhook endpoints of the caller.')}),
);

export const deliverySummarySchema = bodySchema<DeliverySummaryBody>()(
	'DeliverySummary',
	z.object({
		id: z.string().describe('Id of the delivery, sent as `X-Tinbox-Delivery-Id`.'),
		event: webhookEventField.describe('Event that the delivery reports.'),
		status: z
			.enum(deliveryStatuses)
			.describe(
				'`pending`: not attempted yet. `delivered`: a response with status 2xx was received. `failed`: the last attempt failed, and another one follows unless this is a test. `dead`: all attempts failed.',
			),
		attempts: amountField.describe('Number of attempts made.'),
		response_status: z.int().nullable().describe('HTTP status of the last response; null for no response.'),
		created_at: timeField.describe('Time when the delivery was created.'),
	}),
);

export const endpointReadSchema = bodySchema<EndpointReadBody>()(
	'EndpointWithDeliveries',
	endpointSchema.extend({
		recent_deliveries: z.array(deliverySummarySchema).describe('The 20 newest deliveries, the newest first.'),
	}),
);

/** Any JSON: few languages have a type for an object or an array. */
const payloadSchema: z.ZodType<DeliveryBody['payload']> = z.any();

const responseBodyField = z
	.string()
	.nullable()
	.describe('First 16 KiB of the last response body; null for no response.');

export const deliverySchema = bodySchema<DeliveryBody>()(
	'Delivery',
	deliverySummarySchema.extend({
		webhook_endpoint_id: z.string().describe('Id of the endpoint.'),
		payload: payloadSchema.describe(
			'Request body: an object, or an array in some formats of sending APIs; null if it is not stored.',
		),
		last_attempt_at: timeField.nullable().describe('Time of the last attempt; null before the first one.'),
		response_body: responseBodyField,
	}),
);

export const deliveryListSchema = bodySchema<DeliveryListBody>()(
	'DeliveryList',
	z.object({
		deliveries: z.array(deliverySchema).describe('Deliveries, the newest first.'),
		pagination: z
			.object({...pageAnswer, total: totalField, pages: amountField.describe('Number of pages.')})
			.meta({id: 'Pagination'}),
	}),
);

export const deliveryResultSchema = bodySchema<DeliveryResultBody>()(
	'DeliveryResult',
	z.object({delivery: deliverySummarySchema.extend({response_body: responseBodyField})}),
);
