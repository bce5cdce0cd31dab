import {maxLimit} from '../../../contract/constants.js';
import type {EventBody} from '../../../contract/events.js';
import type {CreateEndpoint, DeliveryBody, EndpointBody} from '../../../contract/webhooks.js';
import {causeOf} from '../../../lib/errors.js';
import {moveBy} from '../../core/list.js';
import {redeliveryOutcome, testOutcome} from '../../core/webhooks.js';
import type {Finder, Web} from '../context.js';
import type {DeliveryPage, DeliveryQuery, WebhooksState, WebState, WebUpdate} from '../state/state.js';
import {attempt, notify} from './notices.js';

/** Creates an endpoint, opens it and shows its secret. Rejects if the input is invalid. */
export async function addEndpoint({store, api, go}: Web, body: CreateEndpoint): Promise<void> {
	const {secret, ...endpoint} = await api.webhooks.create(body);
	store.update(({webhooks}) => ({webhooks: {...withEndpoint(webhooks, endpoint), created: {id: endpoint.id, secret}}}));
	go({screen: 'webhooks', endpointId: endpoint.id});
}

/** Removes the secret from the page. */
export function hideSecret({store}: Web): void {
	store.update(({webhooks}) => ({webhooks: {...webhooks, created: undefined}}));
}

/** Turns the deliveries to an endpoint on or off. */
export function switchEndpoint(web: Web, {id}: EndpointBody, isActive: boolean): Promise<boolean> {
	return attempt(web, async () => {
		const endpoint = await web.api.webhooks.update(id, {is_active: isActive});
		web.store.update(({webhooks}) => ({webhooks: withEndpoint(webhooks, endpoint)}));
	});
}

export function sendTest(web: Web, {id, url}: EndpointBody): Promise<boolean> {
	notify(web, `Sending a test to ${url} …`);
	return attempt(web, async () => notify(web, testOutcome(await web.api.webhooks.test(id))));
}

export function redeliver(web: Web, {id, webhook_endpoint_id: endpointId}: DeliveryBody): Promise<boolean> {
	notify(web, `Redelivering ${id} …`);
	return attempt(web, async () => notify(web, redeliveryOutcome(await web.api.webhooks.redeliver(endpointId, id))));
}

/** Asks for confirmation, then deletes an endpoint. */
export function askToDeleteEndpoint({store, api, go}: Web, {id, url}: EndpointBody): void {
	const onYes = async () => {
		await api.webhooks.delete(id);
		store.update(({webhooks}) => ({
			webhooks: {...webhooks, endpoints: webhooks.endpoints?.filter(endpoint => endpoint.id !== id)},
		}));
		const {route} = store.get();
		if (route.screen === 'webhooks' && route.endpointId === id) {
			go({screen: 'webhooks'}, 'replace');
		}

		notify({store}, 'Deleted the endpoint.');
	};
	store.update({dialog: {type: 'question', text: `Delete ${url} and its deliveries?`, yes: 'Delete', onYes}});
}

/** Changes the query of deliveries; the first page is shown unless the change names another. */
export function queryDeliveries({store}: Web, endpointId: string, change: Partial<DeliveryQuery>): void {
	store.update(({webhooks}) => ({
		webhooks: {...webhooks, query: {...queryOfEndpoint(webhooks, endpointId), page: 1, ...change}},
	}));
}

/** Opens the endpoint `rows` further down. */
export function moveEndpoint({store, go}: Web, rows: number): void {
	const {route, webhooks} = store.get();
	if (route.screen === 'webhooks') {
		const list = {rows: webhooks.endpoints ?? [], selected: openEndpoint(webhooks, route)?.id};
		go({screen: 'webhooks', endpointId: moveBy(list, rows).selected}, 'replace');
	}
}

/** Opens the delivery `rows` further down. */
export function moveDelivery({store, go}: Web, rows: number): void {
	const {route, webhooks} = store.get();
	const endpoint = route.screen === 'webhooks' ? openEndpoint(webhooks, route) : undefined;
	const page = deliveryPageOf(webhooks, endpoint?.id);
	if (route.screen === 'webhooks' && endpoint !== undefined && page !== undefined) {
		const open = openDelivery(webhooks, route);
		const selected = typeof open === 'object' ? open.id : undefined;
		const deliveryId = moveBy({rows: page.rows, selected}, rows).selected;
		go({screen: 'webhooks', endpointId: endpoint.id, deliveryId}, 'replace');
	}
}

/** Finds the endpoints, if they must be read. */
export const missingEndpoints: Finder = (state, api) => {
	const name = endpointsRequest(state);
	const read = async () => withWebhookParts({...(await api.webhooks.list()), endpointsRead: name});
	return state.route.screen === 'webhooks' && !areEndpointsRead(state) ? {name, read} : undefined;
};

/** Finds the page of deliveries of the open endpoint, if it must be read. */
export const missingDeliveries: Finder = ({route, revision, webhooks}, api) => {
	const endpoint = route.screen === 'webhooks' ? openEndpoint(webhooks, route) : undefined;
	if (endpoint === undefined) {
		return undefined;
	}

	const query = queryOfEndpoint(webhooks, endpoint.id);
	const name = `${JSON.stringify(query)} ${webhooks.deliveriesRevision} ${revision}`;
	const read = async () => {
		const {endpointId, ...conditions} = query;
		const {deliveries: rows, pagination} = await api.webhooks.deliveries(endpointId, {...conditions, limit: maxLimit});
		return withWebhookParts({deliveries: {query, rows, total: pagination.total}, deliveriesRead: name});
	};
	return name === webhooks.deliveriesRead ? undefined : {name, read};
};

/** Finds the open delivery, if it is not on the page of deliveries. */
export const missingDelivery: Finder = ({route, revision, webhooks}, api) => {
	if (route.screen !== 'webhooks' || route.endpointId === undefined || route.deliveryId === undefined) {
		return undefined;
	}

	const {endpointId, deliveryId: id} = route;
	const name = `${endpointId} ${id} ${webhooks.deliveriesRevision} ${revision}`;
	const page = deliveryPageOf(webhooks, endpointId);
	const isListed = page === undefined || page.rows.some(row => row.id === id);
	const withSingle = (delivery: DeliveryBody | string) => withWebhookParts({single: {id, delivery}, singleRead: name});
	const read = async () => withSingle(await api.webhooks.delivery(endpointId, id));
	return isListed || name === webhooks.singleRead
		? undefined
		: {name, read, failed: error => withSingle(causeOf(error))};
};

/** True if the endpoints are up to date. */
export function areEndpointsRead(state: WebState): boolean {
	return state.webhooks.endpointsRead === endpointsRequest(state);
}

function endpointsRequest({revision, webhooks}: WebState): string {
	return `${webhooks.listRevision} ${revision}`;
}

function withWebhookParts(parts: Partial<WebhooksState>): WebUpdate {
	return ({webhooks}) => ({webhooks: {...webhooks, ...parts}});
}

/** Requests that deliveries are read again if one changed. */
export function withDeliveryEvents(webhooks: WebhooksState, events: readonly EventBody[]): WebhooksState {
	const isChanged = events.some(({type}) => type === 'delivery.changed');
	return isChanged ? {...webhooks, deliveriesRevision: webhooks.deliveriesRevision + 1} : webhooks;
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
