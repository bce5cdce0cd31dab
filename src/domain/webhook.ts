export const webhookEvents = ['message.received'] as const;

export type WebhookEvent = (typeof webhookEvents)[number];

export type Endpoint = {
	readonly id: string;
	readonly userId: string;
	readonly url: string;
	readonly events: readonly WebhookEvent[];
	readonly isActive: boolean;
	readonly secret: string;
	readonly createdAt: string;
};

/** States of a delivery: spec.md, section 3. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'dead';

export type Delivery = {
	readonly id: string;
	readonly endpointId: string;
	readonly event: WebhookEvent;
	/** The message it tells of; null for a test delivery. */
	readonly messageId: string | null;
	/** The exact bytes to send, as text; null until the message's header was read. Never changes once set. */
	readonly body: string | null;
	readonly isTest: boolean;
	readonly status: DeliveryStatus;
	/** Attempts made. */
	readonly attempts: number;
	/** When the next attempt is due; null when none will follow. */
	readonly nextAttemptAt: string | null;
	readonly lastAttemptAt: string | null;
	readonly responseStatus: number | null;
	readonly responseBody: string | null;
	readonly createdAt: string;
};

/** What one attempt came to. A refusal or a lost connection is a result, not an exception. */
export type Attempt = {
	readonly ok: boolean;
	/** The receiver's status; null when there was no answer. */
	readonly status: number | null;
	/** The first 16 KiB of the response, or why there was none. */
	readonly body: string;
};

/** Makes one attempt: signs nothing, retries nothing, never rejects. */
export type SendWebhook = (request: {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** Ends the attempt early, as when the daemon stops. */
	readonly signal?: AbortSignal;
}) => Promise<Attempt>;
