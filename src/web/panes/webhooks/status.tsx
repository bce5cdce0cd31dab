import type {DeliveryStatus} from '../../../contract/webhooks.js';

const meanings = {
	pending: 'Not attempted yet.',
	delivered: 'Taken by the receiver.',
	failed: 'Not taken; another attempt follows, unless it was a test.',
	dead: 'Given up.',
} as const;

/** What became of a delivery so far. */
export function Status({status}: {readonly status: DeliveryStatus}) {
	return (
		<b class={`outcome ${status}`} title={meanings[status]}>
			{status}
		</b>
	);
}
