import type {DeliveryBody} from '../../../../contract/webhooks.js';
import {statusWord} from '../../../core/webhooks.js';

const meanings = {
	pending: 'No attempt yet.',
	delivered: 'The receiver accepted it.',
	failed: 'The last attempt failed. tinbox retries, unless it was a test.',
	dead: 'No more attempts.',
} as const;

/** The status of a delivery, with an explanation. */
export function Status({delivery}: {readonly delivery: DeliveryBody}) {
	return (
		<b class={`outcome ${delivery.status}`} title={meanings[delivery.status]}>
			{statusWord(delivery)}
		</b>
	);
}
