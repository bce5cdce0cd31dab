import type {DeliveryStatus, WebhookEvent} from '../../../contract/constants.js';
import type {EventBody} from '../../../contract/events.js';
import type {DeliveryBody, EndpointBody} from '../../../contract/webhooks.js';

/** Query for deliveries of an endpoint. */
export type DeliveryQuery = {
	readonly endpointId: string;
	readonly page: number;
	readonly status?: DeliveryStatus | undefined;
	readonly event?: WebhookEvent | undefined;
};

/** Page of deliveries, newest first. */
export type DeliveryPage = {
	readonly query: DeliveryQuery;
	readonly rows: readonly DeliveryBody[];
	/** Number of deliveries on all pages. */
	readonly total: number;
};

export type WebhooksState = {
	/** Oldest first; undefined until they were read. */
	readonly endpoints: readonly EndpointBody[] | undefined;
	/** Secret of a new endpoint, until the user hides it. It cannot be read again. */
	readonly created: {readonly id: string; readonly secret: string} | undefined;
	/** Query that the user chose last. */
	readonly query: DeliveryQuery | undefined;
	/** Page that was read last. */
	readonly deliveries: DeliveryPage | undefined;
	/** Open delivery that is not on the page, or the reason why it could not be read. */
	readonly single: {readonly id: string; readonly delivery: DeliveryBody | string} | undefined;
	/** Increases when the data may have changed. There is no event for endpoints. */
	readonly endpointsRevision: number;
	readonly deliveriesRevision: number;
	/** Names of the last answered requests; `''` before the first. */
	readonly endpointsRead: string;
	readonly deliveriesRead: string;
	readonly singleRead: string;
};

export const noWebhooks: WebhooksState = {
	endpoints: undefined,
	created: undefined,
	query: undefined,
	deliveries: undefined,
	single: undefined,
	endpointsRevision: 0,
	deliveriesRevision: 0,
	endpointsRead: '',
	deliveriesRead: '',
	singleRead: '',
};

/** Requests that deliveries are read again if one changed. */
export function withDeliveryEvents(webhooks: WebhooksState, events: readonly EventBody[]): WebhooksState {
	const isChanged = events.some(({type}) => type === 'delivery.changed');
	return isChanged ? {...webhooks, deliveriesRevision: webhooks.deliveriesRevision + 1} : webhooks;
}

/** Requests that the endpoints are read again. */
export function withEndpointsStale(webhooks: WebhooksState): WebhooksState {
	return {...webhooks, endpointsRevision: webhooks.endpointsRevision + 1};
}

/** Replaces an endpoint, or appends a new one. */
export function withEndpoint(webhooks: WebhooksState, endpoint: EndpointBody): WebhooksState {
	const before = webhooks.endpoints ?? [];
	const isKnown = before.some(({id}) => id === endpoint.id);
	const endpoints = isKnown ? before.map(old => (old.id === endpoint.id ? endpoint : old)) : [...before, endpoint];
	return {...webhooks, endpoints};
}

type Chosen = {readonly endpointId?: string | undefined; readonly deliveryId?: string | undefined};

/** Open endpoint: the chosen one, by default the first. */
export function openEndpoint({endpoints}: WebhooksState, {endpointId}: Chosen): EndpointBody | undefined {
	return endpointId === undefined ? endpoints?.[0] : endpoints?.find(({id}) => id === endpointId);
}

/** Query for the deliveries of an endpoint. */
export function queryOfEndpoint({query}: WebhooksState, endpointId: string): DeliveryQuery {
	return query?.endpointId === endpointId ? query : {endpointId, page: 1};
}

/** Page of deliveries of an endpoint; undefined until it was read. */
export function deliveryPageOf({deliveries}: WebhooksState, endpointId: string | undefined): DeliveryPage | undefined {
	return deliveries?.query.endpointId === endpointId ? deliveries : undefined;
}

/** Open delivery: the chosen one, by default the first on the page; or the reason why it cannot be shown. */
export function openDelivery(webhooks: WebhooksState, chosen: Chosen): DeliveryBody | string | undefined {
	const {deliveryId} = chosen;
	const rows = deliveryPageOf(webhooks, openEndpoint(webhooks, chosen)?.id)?.rows;
	const row = deliveryId === undefined ? rows?.[0] : rows?.find(({id}) => id === deliveryId);
	return row ?? (webhooks.single?.id === deliveryId ? webhooks.single?.delivery : undefined);
}
