import {fieldsOf} from './answers.js';
import type {Page} from './page.js';

/** Events that an endpoint in the `tinbox` format can subscribe to. */
export const webhookEvents = ['message.received', 'fault.hit'] as const;

/** Outcomes of a mail that was sent through a sending API. */
export type MailEventKind = 'delivered' | 'bounced' | 'complained' | 'opened';

/** Events that an endpoint in the format of a sending API can subscribe to. */
export const mailEventNames = ['email.delivered', 'email.bounced', 'email.complained', 'email.opened'] as const;

export const allWebhookEvents = [...webhookEvents, ...mailEventNames] as const;

export type WebhookEvent = (typeof allWebhookEvents)[number];

/** Formats of webhook requests: `tinbox`, or that of a sending API, which reports on mail sent through that API. */
export const endpointFormats = ['tinbox', 'resend', 'sendgrid', 'postmark', 'mailgun', 'ses'] as const;

export type EndpointFormat = (typeof endpointFormats)[number];

/** Format of a sending API. */
export type MailFormat = Exclude<EndpointFormat, 'tinbox'>;

/**
 * States of a delivery: not attempted yet, accepted by the receiver, failed (another attempt follows unless it is a test), and
 * given up.
 */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'dead'] as const;

export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Headers of webhook requests. The last three are defined by Standard Webhooks. */
export const webhookHeaders = {
	event: 'X-Tinbox-Event',
	deliveryId: 'X-Tinbox-Delivery-Id',
	bodySignature: 'X-Tinbox-Signature',
	id: 'webhook-id',
	timestamp: 'webhook-timestamp',
	signature: 'webhook-signature',
} as const;

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

export const endpointFields = fieldsOf<EndpointBody>()('id url format verification_key events is_active created_at');

/** Created webhook endpoint; only this response contains the secret. */
export type CreatedEndpointBody = EndpointBody & {readonly secret: string};

export const createdEndpointFields = fieldsOf<CreatedEndpointBody>()(
	'id url format verification_key events is_active created_at secret',
);

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

export const endpointReadFields = fieldsOf<EndpointReadBody>()(
	'id url format verification_key events is_active created_at recent_deliveries',
);

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

export const deliveryResultFields = fieldsOf<DeliveryResultBody['delivery']>()(
	'id event status attempts response_status response_body created_at',
);

export const deliveryFields = [
	...deliveryResultFields,
	...fieldsOf<Omit<DeliveryBody, keyof DeliveryResultBody['delivery']>>()(
		'webhook_endpoint_id payload last_attempt_at',
	),
];
