import {Box} from 'ink';
import type {ReactNode} from 'react';
import type {DeliveryBody, EndpointBody} from '../../contract/webhooks.js';
import type {State} from '../state/state.js';
import {clockTime} from '../text/time.js';
import {List} from './list.js';
import {Pane} from './pane.js';
import type {PanePlace} from './place.js';
import {Placeholder} from './placeholder.js';
import {type Column, Row} from './row.js';

type WebhookPaneProps = {readonly state: State; readonly place: PanePlace};

export function EndpointPane({state: {webhooks}, place}: WebhookPaneProps): ReactNode {
	const {endpoints, endpointsRead} = webhooks;
	const columnsOf = ({url, is_active: active}: EndpointBody): Column[] => [
		{text: ` ${url}`, width: place.width - (active ? 0 : 5)},
		{text: ' off', width: active ? 0 : 5, color: 'yellow'},
	];
	return (
		<Pane title="Endpoints" note={String(endpoints.rows.length)} {...place}>
			{endpoints.rows.length > 0 ? (
				<List list={endpoints} height={place.height - 1} focused={place.focused} columnsOf={columnsOf} />
			) : (
				<Placeholder
					text={endpointsRead === '' ? 'Reading …' : 'None yet: tinbox webhooks create <url>'}
					width={place.width}
				/>
			)}
		</Pane>
	);
}

const statusColors = {delivered: 'green', pending: 'cyan', failed: 'yellow', dead: 'red'} as const;

export function DeliveryListPane({state: {webhooks}, place}: WebhookPaneProps): ReactNode {
	const {endpoints, deliveries, total} = webhooks;
	const columnsOf = ({created_at, status, attempts, response_status: code, event}: DeliveryBody): Column[] => [
		{text: ` ${clockTime(created_at, new Date())}`, width: 10, dim: true},
		{text: ` ${status}`, width: 11, color: statusColors[status]},
		{text: String(code ?? '-').padStart(4), width: 5},
		{text: `${attempts}×`.padStart(4), width: 5, dim: true},
		{text: ` ${event}`, width: place.width - 31},
	];
	const note = deliveries.rows.length < total ? `${deliveries.rows.length} of ${total}` : String(total);
	return (
		<Pane title="Deliveries" note={note} {...place}>
			{deliveries.rows.length > 0 ? (
				<List list={deliveries} height={place.height - 1} focused={place.focused} columnsOf={columnsOf} />
			) : (
				<Placeholder text={endpoints.rows.length > 0 ? 'No delivery yet: t sends a test.' : ''} width={place.width} />
			)}
		</Pane>
	);
}

export function DeliveryPane({state: {webhooks}, place}: WebhookPaneProps): ReactNode {
	const {lines, top} = webhooks;
	return (
		<Pane title="Delivery" {...place}>
			<Box flexDirection="column">
				{lines.slice(top, top + place.height - 1).map((text, index) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: lines of one text have no other name
					<Row key={index} columns={[{text: ` ${text}`, width: place.width}]} />
				))}
			</Box>
		</Pane>
	);
}
