import {expect, test} from 'vitest';
import {
	deliveryPageOf,
	openDelivery,
	openEndpoint,
	queryOfEndpoint,
	withDeliveryEvents,
	withEndpoint,
} from '../../../../../src/ui/web/actions/webhooks.js';
import {noWebhooks, type WebhooksState} from '../../../../../src/ui/web/state/state.js';
import {deliveryBody, endpointBody} from '../../../../helpers/bodies.js';

const [e1, e2] = [endpointBody({id: 'e1'}), endpointBody({id: 'e2'})];
const [d1, d2] = [deliveryBody({id: 'd1'}), deliveryBody({id: 'd2'})];

const loaded: WebhooksState = {
	...noWebhooks,
	endpoints: [e1, e2],
	deliveries: {query: {endpointId: 'e1', page: 1}, rows: [d1, d2], total: 2},
};

test('the first endpoint is open until the user chooses one, and an unknown id opens none', () => {
	expect(openEndpoint(noWebhooks, {})).toBe(undefined);
	expect(openEndpoint(loaded, {})).toBe(e1);
	expect(openEndpoint(loaded, {endpointId: 'e2'})).toBe(e2);
	expect(openEndpoint(loaded, {endpointId: 'gone'})).toBe(undefined);
});

test('the newest delivery is open until the user chooses one', () => {
	expect(openDelivery(loaded, {})).toBe(d1);
	expect(openDelivery(loaded, {endpointId: 'e1', deliveryId: 'd2'})).toBe(d2);
	expect(openDelivery(loaded, {endpointId: 'e2'})).toBe(undefined);
});

test('a delivery outside the page is loaded separately, or its error is shown', () => {
	const chosen = {endpointId: 'e1', deliveryId: 'old'};
	const old = deliveryBody({id: 'old'});
	expect(openDelivery(loaded, chosen)).toBe(undefined);
	expect(openDelivery({...loaded, single: {id: 'old', delivery: old}}, chosen)).toBe(old);
	expect(openDelivery({...loaded, single: {id: 'old', delivery: 'It is gone.'}}, chosen)).toBe('It is gone.');
	expect(openDelivery({...loaded, single: {id: 'other', delivery: old}}, chosen)).toBe(undefined);
});

test('the query of one endpoint does not apply to another', () => {
	const query = {endpointId: 'e1', page: 3, status: 'dead'} as const;
	expect(queryOfEndpoint({...loaded, query}, 'e1')).toBe(query);
	expect(queryOfEndpoint({...loaded, query}, 'e2')).toEqual({endpointId: 'e2', page: 1});
	expect(deliveryPageOf(loaded, 'e1')?.rows).toEqual([d1, d2]);
	expect(deliveryPageOf(loaded, 'e2')).toBe(undefined);
});

test('a new endpoint is appended, and a changed endpoint keeps its position', () => {
	const e3 = endpointBody({id: 'e3'});
	const disabled = {...e1, is_active: false};
	expect(withEndpoint(loaded, e3).endpoints).toEqual([e1, e2, e3]);
	expect(withEndpoint(loaded, disabled).endpoints).toEqual([disabled, e2]);
	expect(withEndpoint(noWebhooks, e3).endpoints).toEqual([e3]);
});

test('deliveries are reloaded only after delivery events', () => {
	const {payload, webhook_endpoint_id, last_attempt_at, response_body, ...delivery} = d1;
	const changed = withDeliveryEvents(loaded, [{type: 'delivery.changed', endpoint_id: 'e1', delivery}]);
	expect(changed.deliveriesRevision).toBe(loaded.deliveriesRevision + 1);
	expect(withDeliveryEvents(loaded, [{type: 'inbox.deleted', inbox_id: 'in1'}])).toBe(loaded);
});
