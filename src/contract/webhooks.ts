import {z} from 'zod';
import {
	amountField,
	type Body,
	type Input,
	nullableText,
	pageFields,
	pageParameters,
	type Query,
	requestObject,
	responseObject,
	timeField,
	totalField,
} from './common.js';
import {allWebhookEvents, deliveryStatuses, endpointFormats} from './constants.js';

/** Descriptions that requests and responses share. */
const texts = {
	format:
		'Format of the requests: `tinbox`, or the format of a sending API, which reports on mail sent through that API.',
	events: 'Events that the endpoint receives.',
	is_active: 'False if the endpoint receives no requests.',
};

/** The id makes it one type in generated clients. */
const webhookEventField = z.enum(allWebhookEvents).meta({id: 'WebhookEvent'});

const eventsField = z
	.array(webhookEventField)
	.min(1, 'must have at least one event')
	.refine(events => new Set(events).size === events.length, 'must not repeat an event')
	.meta({uniqueItems: true});

const urlField = z
	.string()
	.trim()
	.max(2048, 'must be at most 2048 characters long')
	.meta({format: 'uri', description: 'URL that receives the requests; http or https.'});

const secretField = z.string().min(1, 'must not be empty').max(200, 'must be at most 200 characters long');

/** Webhook endpoint to create. */
export const createEndpointSchema = requestObject('CreateEndpoint', {
	url: urlField,
	format: z.enum(endpointFormats).optional().describe(`${texts.format} Default \`tinbox\`.`),
	events: eventsField
		.optional()
		.describe(
			`${texts.events} Default \`message.received\`; for the format of a sending API, all \`email.\` events except \`email.opened\`.`,
		),
	secret: secretField.optional().describe('Secret that signs the requests (default: a generated one).'),
});

export type CreateEndpoint = Input<typeof createEndpointSchema>;

/** Changes of a webhook endpoint. Fields that are left out keep their values. */
export const updateEndpointSchema = requestObject('UpdateEndpoint', {
	url: urlField.optional(),
	events: eventsField.optional().describe(texts.events),
	is_active: z.boolean().optional().describe(texts.is_active),
	secret: secretField.optional().describe('Secret that signs the requests.'),
});

export type UpdateEndpoint = Input<typeof updateEndpointSchema>;

/** Webhook endpoint, without its secret. */
export const endpointSchema = responseObject('Endpoint', {
	id: z.string().describe('Id of the endpoint.'),
	url: z.string().describe('URL that receives the requests.'),
	format: z.enum(endpointFormats).describe(texts.format),
	verification_key: nullableText.describe(
		'Public key that verifies the signatures of the `sendgrid` format; null for other formats.',
	),
	events: z.array(webhookEventField).describe(texts.events),
	is_active: z.boolean().describe(texts.is_active),
	created_at: timeField.describe('Time when the endpoint was created.'),
});

export type EndpointBody = Body<typeof endpointSchema>;

/** Created webhook endpoint; only this response contains the secret. */
export const createdEndpointSchema = endpointSchema
	.extend({secret: z.string().describe('Secret that signs the requests, only returned here.')})
	.meta({id: 'CreatedEndpoint'});

export type CreatedEndpointBody = Body<typeof createdEndpointSchema>;

export const endpointListSchema = responseObject('EndpointList', {
	endpoints: z.array(endpointSchema).describe('Webhook endpoints of the caller.'),
});

export type EndpointListBody = Body<typeof endpointListSchema>;

/** Webhook delivery, without its bodies. */
export const deliverySummarySchema = responseObject('DeliverySummary', {
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
});

export type DeliverySummaryBody = Body<typeof deliverySummarySchema>;

/** Webhook endpoint with its newest deliveries. */
export const endpointReadSchema = endpointSchema
	.extend({
		recent_deliveries: z.array(deliverySummarySchema).describe('The 20 newest deliveries, the newest first.'),
	})
	.meta({id: 'EndpointWithDeliveries'});

export type EndpointReadBody = Body<typeof endpointReadSchema>;

const payloadField = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).nullable();

const responseBodyField = nullableText.describe('First 16 KiB of the last response body; null for no response.');

/** Webhook delivery with its bodies. */
export const deliverySchema = deliverySummarySchema
	.extend({
		webhook_endpoint_id: z.string().describe('Id of the endpoint.'),
		payload: payloadField.describe(
			'Request body: an object, or an array in some formats of sending APIs; null if it is not stored.',
		),
		last_attempt_at: timeField.nullable().describe('Time of the last attempt; null before the first one.'),
		response_body: responseBodyField,
	})
	.meta({id: 'Delivery'});

export type DeliveryBody = Body<typeof deliverySchema>;

/** Page of deliveries. */
export const deliveryListSchema = responseObject('DeliveryList', {
	deliveries: z.array(deliverySchema).describe('Deliveries, the newest first.'),
	pagination: responseObject('Pagination', {
		...pageFields,
		total: totalField,
		pages: amountField.describe('Number of pages.'),
	}),
});

export type DeliveryListBody = Body<typeof deliveryListSchema>;

/** Result of a test or a redelivery. */
export const deliveryResultSchema = responseObject('DeliveryResult', {
	delivery: deliverySummarySchema.extend({response_body: responseBodyField}),
});

export type DeliveryResultBody = Body<typeof deliveryResultSchema>;

/** Query of a list of deliveries. */
export const listDeliveriesSchema = z.strictObject({
	...pageParameters,
	status: z.enum(deliveryStatuses).optional().describe('Only deliveries with this status.'),
	event: webhookEventField.optional().describe('Only deliveries of this event.'),
	message_id: z.string().optional().describe('Only deliveries about the message with this id.'),
});

export type ListDeliveries = Query<typeof listDeliveriesSchema>;
