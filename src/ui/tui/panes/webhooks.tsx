import type {ReactNode} from 'react';
import type {DeliveryBody, EndpointBody} from '../../../contract/webhooks.js';
import {clockTime} from '../../core/format.js';
import {statusWord, webhookCommand} from '../../core/webhooks.js';
import {type Cell, Lines, ListPane, Pane, type PaneProps} from './pane.js';

/** The webhook endpoints of the user. */
export function EndpointPane({state: {webhooks}, place}: PaneProps): ReactNode {
	const {endpoints, endpointsRead} = webhooks;
	const cellsOf = ({url, is_active: active}: EndpointBody): Cell[] => [
		{text: url, width: place.width - 1 - (active ? 0 : 5)},
		{text: ' off', width: active ? 0 : 5, color: 'yellow'},
	];
	return (
		<ListPane
			title="Endpoints"
			note={String(endpoints.rows.length)}
			place={place}
			list={endpoints}
			cellsOf={cellsOf}
			empty={endpointsRead === '' ? 'Loading …' : `No endpoints yet. Run: ${webhookCommand}`}
		/>
	);
}

const statusColors = {delivered: 'green', pending: 'cyan', failed: 'yellow', dead: 'red'} as const;

/** The deliveries to the selected endpoint: time, status, response, attempts, event. */
export function DeliveryListPane({state: {webhooks}, place}: PaneProps): ReactNode {
	const {endpoints, deliveries, total} = webhooks;
	const cellsOf = (delivery: DeliveryBody): Cell[] => {
		const {created_at, status, attempts, response_status: code, event} = delivery;
		return [
			{text: clockTime(created_at, new Date()), width: 9, dim: true},
			{text: ` ${statusWord(delivery)}`, width: 11, color: statusColors[status]},
			{text: String(code ?? '-').padStart(4), width: 5},
			{text: `${attempts}×`.padStart(4), width: 5, dim: true},
			{text: ` ${event}`, width: place.width - 31},
		];
	};
	return (
		<ListPane
			title="Deliveries"
			note={deliveries.rows.length < total ? `${deliveries.rows.length} of ${total}` : String(total)}
			place={place}
			list={deliveries}
			cellsOf={cellsOf}
			empty={endpoints.rows.length > 0 ? 'No deliveries yet. Press t to send a test.' : ''}
		/>
	);
}

/** The selected delivery in full. */
export function DeliveryPane({state: {webhooks}, place}: PaneProps): ReactNode {
	const {lines, top} = webhooks;
	return (
		<Pane title="Delivery" place={place}>
			<Lines lines={lines.slice(top, top + place.height - 1)} width={place.width} />
		</Pane>
	);
}
