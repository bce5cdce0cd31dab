import type {DeliveryStatus, EndpointFormat, Page, WebhookEvent} from './constants.js';

/** Webhook endpoint to create. */
export type CreateEndpoint = {
	/** URL that receives the requests; http or https. */
	readonly url: string;
	/** Format of the requests (default `tinbox`). */
	readonly format?: EndpointFormat | undefined;
	/** Events to receive (default `message.received`; for the format of a sending API, all except `email.opened`). */
	readonly events?: WebhookEvent[] | undefined;
	/** Secret that signs the requests (default: a generated one). */
	readonly secret?: string | undefined;
};

/** Changes of a webhook endpoint. Fields that are left out keep their values. */
export type UpdateEndpoint = {
	/** URL that receives the requests; http or https. */
	readonly url?: string | undefined;
	/** Events to receive. */
	readonly events?: WebhookEvent[] | undefined;
	/** False to stop sending requests. */
	readonly is_active?: boolean | undefined;
	/** Secret that signs the requests. */
	readonly secret?: string | undefined;
};

/** Query of a list of deliveries. */
export type ListDeliveries = Partial<Page> & {
	readonly status?: DeliveryStatus | undefined;
	readonly event?: WebhookEvent | undefined;
	/** Only deliveries about the message with this id. */
	readonly message_id?: string | undefined;
};

/** Webhook endpoint, without its secret. */
export type EndpointBody = {
	readonly id: string;
	readonly url: string;
	readonly format: EndpointFormat;
	/** Public key that verifies the signatures of the `sendgrid` format; null for other formats. */
	readonly verification_key: string | null;
	readonly events: readonly WebhookEvent[];
	/** False if the endpoint receives no requests. */
	readonly is_active: boolean;
	readonly created_at: string;
};

/** Created webhook endpoint; only this response contains the secret. */
export type CreatedEndpointBody = EndpointBody & {readonly secret: string};

export type EndpointListBody = {readonly endpoints: readonly EndpointBody[]};

/** Webhook delivery, without its bodies. */
export type DeliverySummaryBody = {
	readonly id: string;
	readonly event: WebhookEvent;
	readonly status: DeliveryStatus;
	/** Number of attempts made. */
	readonly attempts: number;
	/** HTTP status of the last response; null for no response. */
	readonly response_status: number | null;
	readonly created_at: string;
};

/** Webhook endpoint with its 20 newest deliveries. */
export type EndpointReadBody = EndpointBody & {readonly recent_deliveries: readonly DeliverySummaryBody[]};

/** Webhook delivery. */
export type DeliveryBody = DeliverySummaryBody & {
	readonly webhook_endpoint_id: string;
	/** Request body: an object, or an array in some formats of sending APIs; null if it is not stored. */
	readonly payload: Readonly<Record<string, unknown>> | readonly unknown[] | null;
	/** Time of the last attempt (ISO 8601); null before the first one. */
	readonly last_attempt_at: string | null;
	/** First 16 KiB of the last response body; null for no response. */
	readonly response_body: string | null;
};

/** Page of deliveries, the newest first. */
export type DeliveryListBody = {
	readonly deliveries: readonly DeliveryBody[];
	readonly pagination: Page & {readonly total: number; readonly pages: number};
};

/** Result of a test or a redelivery. */
export type DeliveryResultBody = {
	readonly delivery: DeliverySummaryBody & {readonly response_body: string | null};
};
