import {randomUUID} from 'node:crypto';
import type {DeliveryStatus, EndpointFormat, WebhookEvent} from '../../contract/constants.js';

export type Endpoint = {
	readonly id: string;
	readonly userId: string;
	readonly url: string;
	/** How its requests are made; ours where it was made before there were others. */
	readonly format?: EndpointFormat;
	readonly events: readonly WebhookEvent[];
	readonly isActive: boolean;
	readonly secret: string;
	readonly createdAt: string;
};

/** What may change of it. */
export type EndpointPatch = Partial<Pick<Endpoint, 'url' | 'events' | 'isActive' | 'secret'>>;

export type Delivery = {
	readonly id: string;
	readonly endpointId: string;
	readonly event: WebhookEvent;
	/** The message whose arrival it tells of; null where it tells of something else. */
	readonly messageId: string | null;
	/** The exact bytes to send, as text. Never changes. */
	readonly body: string;
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
	/** Whose endpoint it is. */
	readonly userId: string;
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** Ends the attempt early, as when the daemon stops. */
	readonly signal?: AbortSignal;
}) => Promise<Attempt>;

/** Attempts after which a delivery that still fails is dead. */
export const maxAttempts = 3;

/** Attempts of one endpoint at a time, of all nodes together. */
export const maxPerEndpoint = 4;

/** A delivery before its first attempt, due at once; a test is attempted by whoever makes it, and nobody retries it. */
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

/** Whether an attempt is under way or to follow. A test is attempted at once, and never again. */
export function isUnfinished({nextAttemptAt, status}: Pick<Delivery, 'nextAttemptAt' | 'status'>): boolean {
	return nextAttemptAt !== null || status === 'pending';
}

/** How many deliveries one counts as, by the characters of its body: one, or one for each 1,024 when they are more than in most. */
export function weightOfBody(length: number): number {
	return Math.max(1, Math.floor(length / 1024));
}

/** The delivery when no attempt is to be made unless somebody asks for one, and why: its endpoint's log says that. */
export function givenUp(delivery: Delivery, reason: string): Delivery {
	return {...delivery, status: 'dead', nextAttemptAt: null, responseBody: `Not sent: ${reason}`};
}

/**
 * The delivery once an attempt was made. After a failure the next one is due in `attempts * retryDelayMs`; after
 * `maxAttempts` of them the delivery is dead. A test delivery has one attempt and no next one.
 */
export function afterAttempt(delivery: Delivery, attempt: Attempt, at: Date, retryDelayMs: number): Delivery {
	const attempts = delivery.attempts + 1;
	const made = {
		...delivery,
		attempts,
		lastAttemptAt: at.toISOString(),
		responseStatus: attempt.status,
		responseBody: attempt.body,
		nextAttemptAt: null,
	};
	if (attempt.ok) {
		return {...made, status: 'delivered'};
	}

	if (delivery.isTest) {
		return {...made, status: 'failed'};
	}

	return attempts >= maxAttempts
		? {...made, status: 'dead'}
		: {...made, status: 'failed', nextAttemptAt: new Date(at.getTime() + attempts * retryDelayMs).toISOString()};
}
