import type {CreateEndpoint, DeliveryBody, EndpointBody} from '../../../contract/webhooks.js';
import {moveBy} from '../../core/list.js';
import {redeliveryOutcome, testOutcome} from '../../core/webhooks.js';
import type {Web} from '../context.js';
import {
	type DeliveryQuery,
	deliveryPageOf,
	openDelivery,
	openEndpoint,
	queryOfEndpoint,
	withEndpoint,
} from '../state/webhooks.js';
import {attempt, tell} from './notices.js';

/** Makes it, opens it, and shows its secret. Rejects with what is wrong with it. */
export async function addEndpoint({store, api, go}: Web, body: CreateEndpoint): Promise<void> {
	const {secret, ...endpoint} = await api.webhooks.create(body);
	store.update(({webhooks}) => ({webhooks: {...withEndpoint(webhooks, endpoint), made: {id: endpoint.id, secret}}}));
	go({screen: 'webhooks', endpointId: endpoint.id});
}

/** Forgets the secret. */
export function hideSecret({store}: Web): void {
	store.update(({webhooks}) => ({webhooks: {...webhooks, made: undefined}}));
}

/** Has the endpoint sent deliveries, or none. */
export function switchEndpoint(web: Web, {id}: EndpointBody, isActive: boolean): Promise<boolean> {
	return attempt(web, async () => {
		const endpoint = await web.api.webhooks.update(id, {is_active: isActive});
		web.store.update(({webhooks}) => ({webhooks: withEndpoint(webhooks, endpoint)}));
	});
}

export function sendTest(web: Web, {id, url}: EndpointBody): Promise<boolean> {
	tell(web, `Sending a test to ${url} …`);
	return attempt(web, async () => tell(web, testOutcome(await web.api.webhooks.test(id))));
}

export function sendAgain(web: Web, {id, webhook_endpoint_id: endpointId}: DeliveryBody): Promise<boolean> {
	tell(web, `Redelivering ${id} …`);
	return attempt(web, async () => tell(web, redeliveryOutcome(await web.api.webhooks.redeliver(endpointId, id))));
}

export function askToRemoveEndpoint({store, api, go}: Web, {id, url}: EndpointBody): void {
	const onYes = async () => {
		await api.webhooks.delete(id);
		store.update(({webhooks}) => ({
			webhooks: {...webhooks, endpoints: webhooks.endpoints?.filter(endpoint => endpoint.id !== id)},
		}));
		const {route} = store.get();
		if (route.screen === 'webhooks' && route.endpointId === id) {
			go({screen: 'webhooks'}, 'replace');
		}

		tell({store}, 'Deleted the endpoint.');
	};
	store.update({dialog: {type: 'question', text: `Delete ${url} and its deliveries?`, yes: 'Delete', onYes}});
}

/** Shows other deliveries of the endpoint, from the newest on unless a page is given. */
export function askForDeliveries({store}: Web, endpointId: string, change: Partial<DeliveryQuery>): void {
	store.update(({webhooks}) => ({
		webhooks: {...webhooks, query: {...queryOfEndpoint(webhooks, endpointId), page: 1, ...change}},
	}));
}

/** Opens the endpoint that is `rows` further down. */
export function moveEndpoint({store, go}: Web, rows: number): void {
	const {route, webhooks} = store.get();
	if (route.screen === 'webhooks') {
		const list = {rows: webhooks.endpoints ?? [], selected: openEndpoint(webhooks, route)?.id};
		go({screen: 'webhooks', endpointId: moveBy(list, rows).selected}, 'replace');
	}
}

/** Opens the delivery that is `rows` further down. */
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
