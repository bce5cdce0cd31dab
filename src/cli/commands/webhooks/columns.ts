import type {DeliverySummaryBody, EndpointBody} from '../../../contract/webhooks.js';
import {ago} from '../../ago.js';
import type {Column} from '../../table.js';

export function endpointColumns(now: Date): readonly Column<EndpointBody>[] {
	return [
		{header: 'ID', value: endpoint => endpoint.id},
		{header: 'URL', value: endpoint => endpoint.url, flexible: true},
		{header: 'EVENTS', value: endpoint => endpoint.events.join(',')},
		{header: 'STATE', value: endpoint => (endpoint.is_active ? 'active' : 'inactive')},
		{header: 'CREATED', value: endpoint => endpoint.created_at, show: endpoint => ago(endpoint.created_at, now)},
	];
}

export function deliveryColumns(now: Date): readonly Column<DeliverySummaryBody>[] {
	return [
		{header: 'ID', value: delivery => delivery.id},
		{header: 'EVENT', value: delivery => delivery.event},
		{header: 'STATUS', value: delivery => delivery.status},
		{header: 'ATTEMPTS', value: delivery => String(delivery.attempts)},
		{header: 'ANSWER', value: delivery => String(delivery.response_status ?? '')},
		{header: 'CREATED', value: delivery => delivery.created_at, show: delivery => ago(delivery.created_at, now)},
	];
}
