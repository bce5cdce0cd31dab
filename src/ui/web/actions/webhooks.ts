import {maxLimit} from '../../../contract/constants.js';
import type {CreateEndpoint, DeliveryBody, EndpointBody} from '../../../contract/webhooks.js';
import {causeOf} from '../../../lib/errors.js';
import {moveBy} from '../../core/list.js';
import type {MissingData} from '../../core/loader.js';
import {redeliveryOutcome, testOutcome} from '../../core/webhooks.js';
import type {Web} from '../context.js';
import type {WebState, WebUpdate} from '../state/state.js';
import {
	type DeliveryQuery,
	deliveryPageOf,
	openDelivery,
	openEndpoint,
	queryOfEndpoint,
	type WebhooksState,
	withEndpoint,
} from '../state/webhooks.js';
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
export function missingEndpoints(state: WebState, api: Web['api']): MissingData<WebState> | undefined {
	const name = endpointsRequest(state);
	const read = async () => withWebhookParts({...(await api.webhooks.list()), endpointsRead: name});
	return state.route.screen === 'webhooks' && !areEndpointsRead(state) ? {name, read} : undefined;
}

/** Finds the page of deliveries of the open endpoint, if it must be read. */
export function missingDeliveries(
	{route, revision, webhooks}: WebState,
	api: Web['api'],
): MissingData<WebState> | undefined {
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
}

/** Finds the open delivery, if it is not on the page of deliveries. */
export function missingDelivery(
	{route, revision, webhooks}: WebState,
	api: Web['api'],
): MissingData<WebState> | undefined {
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
}

/** True if the endpoints are up to date. */
export function areEndpointsRead(state: WebState): boolean {
	return state.webhooks.endpointsRead === endpointsRequest(state);
}

function endpointsRequest({revision, webhooks}: WebState): string {
	return `${webhooks.endpointsRevision} ${revision}`;
}

function withWebhookParts(parts: Partial<WebhooksState>): WebUpdate {
	return ({webhooks}) => ({webhooks: {...webhooks, ...parts}});
}
