import {type DeliveryStatus, webhookEvents} from '../../contract/constants.js';
import type {DeliveryBody, DeliveryResultBody, DeliverySummaryBody} from '../../contract/webhooks.js';
import type {Facts} from './format.js';

export const webhookCommand = 'tinbox webhooks create <url>';

/** Labels of the statuses of deliveries. */
export const statusWords: Readonly<Record<DeliveryStatus, string>> = {
	pending: 'Pending',
	delivered: 'Delivered',
	failed: 'Failed',
	dead: 'Gave up',
};

/**
 * Status of a delivery in words. A failed delivery is retried unless it is a test. In the format of a sending API,
 * tests cannot be recognized.
 */
export function statusWord({status, event, payload}: Pick<DeliveryBody, 'status' | 'event' | 'payload'>): string {
	const isRetried = webhookEvents.some(own => own === event) && !(payload && 'test' in payload);
	return status === 'failed' && isRetried ? 'Retrying' : statusWords[status];
}

/** Status code of the response, as in `Response 200`. */
export function responseWord({response_status: code}: Pick<DeliverySummaryBody, 'response_status'>): string {
	return code === null ? 'No response' : `Response ${code}`;
}

/** Facts about a delivery, without payload and response. */
export function deliveryFacts(delivery: DeliveryBody): Facts {
	const {id, event, attempts, last_attempt_at: last} = delivery;
	return {
		Delivery: id,
		Event: event,
		Status: statusWord(delivery),
		Attempts: `${attempts}${last === null ? '' : `, last at ${last}`}`,
	};
}

/** Result of a test delivery in one sentence. */
export function testOutcome({delivery}: DeliveryResultBody): string {
	return `Test ${delivery.status}. ${responseWord(delivery)}.`;
}

/** Result of a redelivery in one sentence. */
export function redeliveryOutcome({delivery}: DeliveryResultBody): string {
	return `${delivery.status === 'delivered' ? 'Redelivered' : 'Redelivery failed'}. ${responseWord(delivery)}.`;
}
