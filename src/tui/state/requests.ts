import {selectedRow} from './list.js';
import type {State} from './state.js';

/** Names what the endpoints are to be read for now. */
export function endpointsRequest({revision, webhooks: {endpointsTurn}}: State): string {
	return `${endpointsTurn} ${revision}`;
}

/** Names what the deliveries are to be read for now; undefined while no endpoint is selected. */
export function deliveriesRequest({
	revision,
	webhooks: {endpoints: list, deliveriesRevision},
}: State): string | undefined {
	const endpoint = selectedRow(list);
	return endpoint === undefined ? undefined : `${endpoint.id} ${deliveriesRevision} ${revision}`;
}
