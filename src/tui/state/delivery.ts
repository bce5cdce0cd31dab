import type {DeliveryBody} from '../../contract/webhooks.js';
import {wrap} from '../text/wrap.js';

/** An open delivery: what was sent, how often, and what came back, fitted to a width. */
export function deliveryLines(delivery: DeliveryBody | undefined, width: number): readonly string[] {
	if (delivery === undefined) {
		return [];
	}

	const {id, event, status, attempts, last_attempt_at: last, response_status: code} = delivery;
	return wrap(
		[
			`Delivery  ${id}`,
			`Event     ${event}`,
			`Status    ${status}`,
			`Attempts  ${attempts}${last === null ? '' : `, the last at ${last}`}`,
			'',
			`Response  ${code ?? 'none'}`,
			delivery.response_body ?? '',
			'',
			'Payload',
			JSON.stringify(delivery.payload, null, 2),
		].join('\n'),
		width,
	);
}
