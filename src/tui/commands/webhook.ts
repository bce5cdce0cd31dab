import {selectedRow} from '../state/list.js';
import type {Command} from '../watch.js';
import {notify} from './notify.js';

/** Sends the selected delivery again. */
export const redeliver: Command = async watch => {
	const delivery = selectedRow(watch.store.get().webhooks.deliveries);
	if (delivery !== undefined) {
		notify(watch, `Sending ${delivery.id} again …`);
		const {delivery: sent} = await watch.api.webhooks.redeliver(delivery.webhook_endpoint_id, delivery.id);
		notify(watch, `Sent again: ${sent.status}, response ${sent.response_status ?? 'none'}.`);
	}
};

/** Sends a test delivery to the selected endpoint. */
export const testEndpoint: Command = async watch => {
	const endpoint = selectedRow(watch.store.get().webhooks.endpoints);
	if (endpoint !== undefined) {
		notify(watch, `Sending a test to ${endpoint.url} …`);
		const {delivery} = await watch.api.webhooks.test(endpoint.id);
		notify(watch, `Test ${delivery.status}, response ${delivery.response_status ?? 'none'}.`);
	}
};
