import type {DeliveryStatus, WebhookEvent} from '../../../contract/constants.js';
import type {EventBody} from '../../../contract/events.js';
import type {DeliveryBody, EndpointBody} from '../../../contract/webhooks.js';

/** Which deliveries of an endpoint are shown; without a status or an event, those with any. */
export type DeliveryQuery = {
	readonly endpointId: string;
	readonly page: number;
	readonly status?: DeliveryStatus | undefined;
	readonly event?: WebhookEvent | undefined;
};

/** Deliveries, newest first. */
export type DeliveryPage = {
	readonly query: DeliveryQuery;
	readonly rows: readonly DeliveryBody[];
	/** How many there are for the query on all pages. */
	readonly total: number;
};

export type WebhooksState = {
	/** In the order in which they were made; undefined until they were read. */
	readonly endpoints: readonly EndpointBody[] | undefined;
	/** The secret of the one that was just made, until it was taken: no other answer holds it. */
	readonly made: {readonly id: string; readonly secret: string} | undefined;
	/** What a person asked for last. */
	readonly query: DeliveryQuery | undefined;
	/** What was read last. */
	readonly deliveries: DeliveryPage | undefined;
	/** What was read last by itself, since the page of deliveries did not have it, or why it could not be. */
	readonly single: {readonly id: string; readonly delivery: DeliveryBody | string} | undefined;
	/** Count up when there may be others; there is no event for endpoints. */
	readonly endpointsRevision: number;
	readonly deliveriesRevision: number;
	/** The requests that all that came from; `''` before the first. */
	readonly endpointsRead: string;
	readonly deliveriesRead: string;
	readonly singleRead: string;
};

export const noWebhooks: WebhooksState = {
	endpoints: undefined,
	made: undefined,
	query: undefined,
	deliveries: undefined,
	single: undefined,
	endpointsRevision: 0,
	deliveriesRevision: 0,
	endpointsRead: '',
	deliveriesRead: '',
	singleRead: '',
};

/** Has the deliveries read again when some changed. */
export function withDeliveryEvents(webhooks: WebhooksState, events: readonly EventBody[]): WebhooksState {
	const tells = events.some(({type}) => type === 'delivery.changed');
	return tells ? {...webhooks, deliveriesRevision: webhooks.deliveriesRevision + 1} : webhooks;
}

/** Has the endpoints read again. */
export function withEndpointsStale(webhooks: WebhooksState): WebhooksState {
	return {...webhooks, endpointsRevision: webhooks.endpointsRevision + 1};
}

/** The endpoint as it is now, behind the others when it is new. */
export function withEndpoint(webhooks: WebhooksState, endpoint: EndpointBody): WebhooksState {
	const known = webhooks.endpoints ?? [];
	const isKnown = known.some(({id}) => id === endpoint.id);
	const endpoints = isKnown ? known.map(old => (old.id === endpoint.id ? endpoint : old)) : [...known, endpoint];
	return {...webhooks, endpoints};
}

/** What the address says that is open. */
type Chosen = {readonly endpointId?: string | undefined; readonly deliveryId?: string | undefined};

/** The endpoint that is open: the first one, unless another was chosen. */
export function openEndpoint({endpoints}: WebhooksState, {endpointId}: Chosen): EndpointBody | undefined {
	return endpointId === undefined ? endpoints?.[0] : endpoints?.find(({id}) => id === endpointId);
}

/** Which deliveries of the endpoint are to be shown. */
export function queryOfEndpoint({query}: WebhooksState, endpointId: string): DeliveryQuery {
	return query?.endpointId === endpointId ? query : {endpointId, page: 1};
}

/** Those of an endpoint; undefined until they were read. */
export function deliveryPageOf({deliveries}: WebhooksState, endpointId: string | undefined): DeliveryPage | undefined {
	return deliveries?.query.endpointId === endpointId ? deliveries : undefined;
}

/** The delivery that is open: the first one of the page, unless another was chosen. Instead of it, why it cannot be shown. */
export function openDelivery(webhooks: WebhooksState, chosen: Chosen): DeliveryBody | string | undefined {
	const {deliveryId} = chosen;
	const rows = deliveryPageOf(webhooks, openEndpoint(webhooks, chosen)?.id)?.rows;
	const row = deliveryId === undefined ? rows?.[0] : rows?.find(({id}) => id === deliveryId);
	return row ?? (webhooks.single?.id === deliveryId ? webhooks.single?.delivery : undefined);
}
