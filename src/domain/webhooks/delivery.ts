import {randomUUID} from 'node:crypto';
import type {DeliveryStatus, EndpointFormat, WebhookEvent} from '../../contract/constants.js';

export type Endpoint = {
	readonly id: string;
	readonly userId: string;
	readonly url: string;
	/** Format of its requests. */
	readonly format: EndpointFormat;
	readonly events: readonly WebhookEvent[];
	readonly isActive: boolean;
	readonly secret: string;
	readonly createdAt: string;
};

/** Changeable fields of an endpoint. */
export type EndpointPatch = Partial<Pick<Endpoint, 'url' | 'events' | 'isActive' | 'secret'>>;

export type Delivery = {
	readonly id: string;
	readonly endpointId: string;
	readonly event: WebhookEvent;
	/** Message that it announces; null for other events. */
	readonly messageId: string | null;
	/** Body, sent exactly like this. Immutable. */
	readonly body: string;
	readonly isTest: boolean;
	readonly status: DeliveryStatus;
	/** Number of attempts. */
	readonly attempts: number;
	/** Time of the next attempt; null if there is none. */
	readonly nextAttemptAt: string | null;
	readonly lastAttemptAt: string | null;
	readonly responseStatus: number | null;
	readonly responseBody: string | null;
	readonly createdAt: string;
};

/** Result of an attempt. A rejection or a lost connection is a result, not an exception. */
export type AttemptResult = {
	readonly ok: boolean;
	/** HTTP status of the response; null if there was none. */
	readonly status: number | null;
	/** First 16 KiB of the response, or the reason why there was none. */
	readonly body: string;
};

/** Makes one attempt, without signing or retrying. Never rejects. */
export type SendWebhook = (request: {
	/** Owner of the endpoint. */
	readonly userId: string;
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** Aborts the attempt, for example at shutdown. */
	readonly signal?: AbortSignal;
}) => Promise<AttemptResult>;

/** Number of failed attempts after which a delivery is dead. */
export const maxAttempts = 3;

/** Maximum number of concurrent attempts per endpoint, over all nodes. */
export const maxPerEndpoint = 4;

/** Creates a delivery that is due immediately. A test delivery is attempted once by its creator and never retried. */
export function newDelivery(
	of: Pick<Delivery, 'endpointId' | 'event' | 'messageId' | 'body' | 'isTest'>,
	now: Date,
): Delivery {
	return {
		...of,
		id: randomUUID(),
		status: 'pending',
		attempts: 0,
		nextAttemptAt: of.isTest ? null : now.toISOString(),
		lastAttemptAt: null,
		responseStatus: null,
		responseBody: null,
		createdAt: now.toISOString(),
	};
}

/** True if an attempt is in progress or will follow. */
export function isUnfinished({nextAttemptAt, status}: Pick<Delivery, 'nextAttemptAt' | 'status'>): boolean {
	return nextAttemptAt !== null || status === 'pending';
}

/** Weight of a delivery in limits: 1, or 1 per 1,024 characters of its body. */
export function weightOfBody(length: number): number {
	return Math.max(1, Math.floor(length / 1024));
}

/** Returns a dead delivery with the reason in its log. */
export function markDead(delivery: Delivery, reason: string): Delivery {
	return {...delivery, status: 'dead', nextAttemptAt: null, responseBody: `Not sent: ${reason}`};
}

/**
 * Returns the delivery after an attempt. After a failure, the next attempt is due in `attempts * retryDelayMs`; after
 * `maxAttempts` the delivery is dead. A test delivery has only one attempt.
 */
export function afterAttempt(delivery: Delivery, attempt: AttemptResult, at: Date, retryDelayMs: number): Delivery {
	const attempts = delivery.attempts + 1;
	const attempted = {
		...delivery,
		attempts,
		lastAttemptAt: at.toISOString(),
		responseStatus: attempt.status,
		responseBody: attempt.body,
		nextAttemptAt: null,
	};
	if (attempt.ok) {
		return {...attempted, status: 'delivered'};
	}

	if (delivery.isTest) {
		return {...attempted, status: 'failed'};
	}

	return attempts >= maxAttempts
		? {...attempted, status: 'dead'}
		: {...attempted, status: 'failed', nextAttemptAt: new Date(at.getTime() + attempts * retryDelayMs).toISOString()};
}
