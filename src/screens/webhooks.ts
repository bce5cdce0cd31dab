import type {DeliveryBody, DeliveryResultBody} from '../contract/webhooks.js';
import type {Facts} from './facts.js';

export const webhookCommand = 'tinbox webhooks create <url>';

/** What is known of a delivery but for what was sent and answered. */
export function deliveryFacts({id, event, status, attempts, last_attempt_at: last}: DeliveryBody): Facts {
	return {
		Delivery: id,
		Event: event,
		Status: status,
		Attempts: `${attempts}${last === null ? '' : `, the last at ${last}`}`,
	};
}

/** What came of a test. */
export function testOutcome({delivery}: DeliveryResultBody): string {
	return `Test ${delivery.status}, response ${delivery.response_status ?? 'none'}.`;
}

/** What came of a delivery that was sent again. */
export function redeliveryOutcome({delivery}: DeliveryResultBody): string {
	return `Sent again: ${delivery.status}, response ${delivery.response_status ?? 'none'}.`;
}
