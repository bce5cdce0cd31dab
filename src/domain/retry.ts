import type {Attempt, Delivery} from './webhook.js';

/** Attempts after which a delivery that still fails is dead. */
export const maxAttempts = 3;

/**
 * The delivery once an attempt was made: the table of spec.md, section 3. The wait before the next attempt is
 * `attempts * retryDelayMs`. A test delivery has one attempt and no next one.
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
