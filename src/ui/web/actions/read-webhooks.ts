import {maxLimit} from '../../../contract/constants.js';
import {causeOf} from '../../../lib/errors.js';
import type {WebState} from '../state/state.js';
import type {WebUpdate} from '../state/store.js';
import {deliveriesOf, openEndpoint, queryOfEndpoint, type WebhooksState} from '../state/webhooks.js';
import type {Web} from '../web.js';
import type {WebLack} from './lack.js';

type Api = Web['api'];

const put =
	(part: Partial<WebhooksState>): WebUpdate =>
	({webhooks}) => ({webhooks: {...webhooks, ...part}});

/** Whether the endpoints were read as late as the state asks for. */
export function areEndpointsRead(state: WebState): boolean {
	return state.webhooks.endpointsRead === endpointsRequest(state);
}

function endpointsRequest({revision, webhooks}: WebState): string {
	return `${webhooks.endpointsRevision} ${revision}`;
}

export function endpoints(state: WebState, api: Api): WebLack | undefined {
	const name = endpointsRequest(state);
	const read = async (): Promise<WebUpdate> => put({...(await api.webhooks.list()), endpointsRead: name});
	return state.route.screen === 'webhooks' && !areEndpointsRead(state) ? {name, read} : undefined;
}

export function deliveries({route, revision, webhooks}: WebState, api: Api): WebLack | undefined {
	const endpoint = route.screen === 'webhooks' ? openEndpoint(webhooks, route) : undefined;
	if (endpoint === undefined) {
		return undefined;
	}

	const query = queryOfEndpoint(webhooks, endpoint.id);
	const name = `${JSON.stringify(query)} ${webhooks.deliveriesRevision} ${revision}`;
	const read = async (): Promise<WebUpdate> => {
		const {endpointId, ...asked} = query;
		const {deliveries: rows, pagination} = await api.webhooks.deliveries(endpointId, {...asked, limit: maxLimit});
		return put({deliveries: {query, rows, total: pagination.total}, deliveriesRead: name});
	};
	return name === webhooks.deliveriesRead ? undefined : {name, read};
}

/** The open delivery, where the list does not have it. */
export function singleDelivery({route, revision, webhooks}: WebState, api: Api): WebLack | undefined {
	if (route.screen !== 'webhooks' || route.endpointId === undefined || route.deliveryId === undefined) {
		return undefined;
	}

	const {endpointId, deliveryId: id} = route;
	const name = `${endpointId} ${id} ${webhooks.deliveriesRevision} ${revision}`;
	const page = deliveriesOf(webhooks, endpointId);
	const isListed = page === undefined || page.rows.some(row => row.id === id);
	const read = async () => put({single: {id, delivery: await api.webhooks.delivery(endpointId, id)}, singleRead: name});
	const failed = (error: unknown) => put({single: {id, delivery: causeOf(error)}, singleRead: name});
	return isListed || name === webhooks.singleRead ? undefined : {name, read, failed};
}
