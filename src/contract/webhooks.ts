import {z} from 'zod';
import {pageFields} from './fields.js';

const eventField = z.enum(['message.received']);
export type WebhookEvent = 'message.received';

const eventsField = z
	.array(eventField)
	.min(1, 'must name at least one event')
	.refine(events => new Set(events).size === events.length, 'must not name an event twice');

const urlField = z.string().trim().max(2048, 'must be at most 2048 characters long');

const secretField = z.string().min(1, 'must not be empty').max(200, 'must be at most 200 characters long');

export const createEndpoint = z.strictObject({
	url: urlField,
	events: eventsField.default(['message.received']),
	secret: secretField.optional(),
});
export type CreateEndpoint = {
	readonly url: string;
	readonly events?: WebhookEvent[] | undefined;
	/** Generated when it is left out. */
	readonly secret?: string | undefined;
};

export const updateEndpoint = z.strictObject({
	url: urlField.optional(),
	events: eventsField.optional(),
	is_active: z.boolean().optional(),
	secret: secretField.optional(),
});
export type UpdateEndpoint = {
	readonly url?: string | undefined;
	readonly events?: WebhookEvent[] | undefined;
	readonly is_active?: boolean | undefined;
	readonly secret?: string | undefined;
};

const statusField = z.enum(['pending', 'delivered', 'failed', 'dead']);
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'dead';

export const listDeliveries = z.strictObject({
	...pageFields,
	status: statusField.optional(),
	event: eventField.optional(),
});
export type EndpointBody = {
	readonly id: string;
	readonly url: string;
	readonly events: readonly WebhookEvent[];
	readonly is_active: boolean;
	readonly created_at: string;
};

/** The only answer that ever holds the secret. */
export type CreatedEndpointBody = EndpointBody & {readonly secret: string};

export type EndpointListBody = {readonly endpoints: readonly EndpointBody[]};

export type DeliverySummaryBody = {
	readonly id: string;
	readonly event: WebhookEvent;
	readonly status: DeliveryStatus;
	readonly attempts: number;
	readonly response_status: number | null;
	readonly created_at: string;
};

export type EndpointReadBody = EndpointBody & {readonly recent_deliveries: readonly DeliverySummaryBody[]};

export type DeliveryBody = DeliverySummaryBody & {
	readonly webhook_endpoint_id: string;
	readonly payload: Readonly<Record<string, unknown>> | null;
	readonly last_attempt_at: string | null;
	readonly response_body: string | null;
};

export type DeliveryListBody = {
	readonly deliveries: readonly DeliveryBody[];
	readonly pagination: {
		readonly page: number;
		readonly limit: number;
		readonly total: number;
		readonly pages: number;
	};
};

/** The answer of a test and of a redelivery. */
export type DeliveryResultBody = {
	readonly delivery: DeliverySummaryBody & {readonly response_body: string | null};
};
