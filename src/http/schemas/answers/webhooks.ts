import {z} from 'zod';
import {
	type CreatedEndpointBody,
	type DeliveryBody,
	type DeliveryListBody,
	type DeliveryResultBody,
	type DeliverySummaryBody,
	deliveryStatuses,
	type EndpointBody,
	type EndpointListBody,
	type EndpointReadBody,
	endpointFormats,
} from '../../../contract/webhooks.js';
import {bodySchema} from '../body-schema.js';
import {webhookEventField} from '../webhooks.js';
import {amountField, pageAnswer, timeField} from './fields.js';

export const endpointSchema = bodySchema<EndpointBody>()(
	'Endpoint',
	z.object({
		id: z.string(),
		url: z.string(),
		format: z.enum(endpointFormats).describe('Ours, or that of a sending API.'),
		verification_key: z.string().nullable().describe('Verifies the signatures of SendGrid’s format; null for others.'),
		events: z.array(webhookEventField),
		is_active: z.boolean(),
		created_at: timeField,
	}),
);

export const createdEndpointSchema = bodySchema<CreatedEndpointBody>()(
	'CreatedEndpoint',
	endpointSchema.extend({secret: z.string().describe('What requests are signed with; no later answer has it.')}),
);

export const endpointListSchema = bodySchema<EndpointListBody>()(
	'EndpointList',
	z.object({endpoints: z.array(endpointSchema)}),
);

export const deliverySummarySchema = bodySchema<DeliverySummaryBody>()(
	'DeliverySummary',
	z.object({
		id: z.string(),
		event: webhookEventField,
		status: z.enum(deliveryStatuses),
		attempts: amountField,
		response_status: z.int().nullable(),
		created_at: timeField,
	}),
);

export const endpointReadSchema = bodySchema<EndpointReadBody>()(
	'EndpointWithDeliveries',
	endpointSchema.extend({recent_deliveries: z.array(deliverySummarySchema)}),
);

/** Anything, as to most languages an object or an array is. */
const payloadSchema: z.ZodType<DeliveryBody['payload']> = z.any();

export const deliverySchema = bodySchema<DeliveryBody>()(
	'Delivery',
	deliverySummarySchema.extend({
		webhook_endpoint_id: z.string(),
		payload: payloadSchema.describe(
			'What was sent: an object, or an array where the format of the endpoint has one; null where it is not kept.',
		),
		last_attempt_at: timeField.nullable(),
		response_body: z.string().nullable().describe('The first 16 KiB of the last answer.'),
	}),
);

export const deliveryListSchema = bodySchema<DeliveryListBody>()(
	'DeliveryList',
	z.object({
		deliveries: z.array(deliverySchema),
		pagination: z.object({...pageAnswer, total: amountField, pages: amountField}).meta({id: 'Pagination'}),
	}),
);

export const deliveryResultSchema = bodySchema<DeliveryResultBody>()(
	'DeliveryResult',
	z.object({delivery: deliverySummarySchema.extend({response_body: z.string().nullable()})}),
);
