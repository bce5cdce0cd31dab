import {fieldsOf} from './answers.js';
import type {Page} from './page.js';

/** What an endpoint of our own format can subscribe to. */
export const webhookEvents = ['message.received', 'fault.hit'] as const;

/** What becomes of a mail that an app has a sending API send. */
export type MailEventKind = 'delivered' | 'bounced' | 'complained' | 'opened';

/** What an endpoint in the format of a sending API can subscribe to. */
export const mailEventNames = ['email.delivered', 'email.bounced', 'email.complained', 'email.opened'] as const;

export const allWebhookEvents = [...webhookEvents, ...mailEventNames] as const;

export type WebhookEvent = (typeof allWebhookEvents)[number];

/** How the requests to an endpoint are made: as ours, or as a sending API makes its own, about the mail that came by it. */
export const endpointFormats = ['tinbox', 'resend', 'sendgrid', 'postmark', 'mailgun', 'ses'] as const;

export type EndpointFormat = (typeof endpointFormats)[number];

/** The format of a sending API. */
export type MailFormat = Exclude<EndpointFormat, 'tinbox'>;

/**
 * States of a delivery: not attempted yet, taken by the receiver, failed (another attempt follows, unless it was a test),
 * and given up.
 */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'dead'] as const;

export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Headers of the requests that an endpoint gets. The last three are those of Standard Webhooks. */
export const webhookHeaders = {
	event: 'X-Tinbox-Event',
	deliveryId: 'X-Tinbox-Delivery-Id',
	bodySignature: 'X-Tinbox-Signature',
	id: 'webhook-id',
	timestamp: 'webhook-timestamp',
	signature: 'webhook-signature',
} as const;

export type CreateEndpoint = {
	readonly url: string;
	/** `tinbox` unless given. */
	readonly format?: EndpointFormat | undefined;
	/** `message.received` unless given; in the format of a sending API all but `email.opened`. */
	readonly events?: WebhookEvent[] | undefined;
	/** Generated when it is left out. */
	readonly secret?: string | undefined;
};

export type UpdateEndpoint = {
	readonly url?: string | undefined;
	readonly events?: WebhookEvent[] | undefined;
	readonly is_active?: boolean | undefined;
	readonly secret?: string | undefined;
};

export type ListDeliveries = Partial<Page> & {
	readonly status?: DeliveryStatus | undefined;
	readonly event?: WebhookEvent | undefined;
	/** Only those that announce this message. */
	readonly message_id?: string | undefined;
};

export type EndpointBody = {
	readonly id: string;
	readonly url: string;
	readonly format: EndpointFormat;
	/** What an app verifies the signatures of SendGrid's format with; null for others. */
	readonly verification_key: string | null;
	readonly events: readonly WebhookEvent[];
	readonly is_active: boolean;
	readonly created_at: string;
};

export const endpointFields = fieldsOf<EndpointBody>()('id url format verification_key events is_active created_at');

/** The only answer that ever holds the secret. */
export type CreatedEndpointBody = EndpointBody & {readonly secret: string};

export const createdEndpointFields = fieldsOf<CreatedEndpointBody>()(
	'id url format verification_key events is_active created_at secret',
);

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

export const endpointReadFields = fieldsOf<EndpointReadBody>()(
	'id url format verification_key events is_active created_at recent_deliveries',
);

export type DeliveryBody = DeliverySummaryBody & {
	readonly webhook_endpoint_id: string;
	/** An array where the format of the endpoint has one. */
	readonly payload: Readonly<Record<string, unknown>> | readonly unknown[] | null;
	readonly last_attempt_at: string | null;
	readonly response_body: string | null;
};

export type DeliveryListBody = {
	readonly deliveries: readonly DeliveryBody[];
	readonly pagination: Page & {readonly total: number; readonly pages: number};
};

/** The answer of a test and of a redelivery. */
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
