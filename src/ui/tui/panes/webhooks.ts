import {clockTime} from '../../core/format.js';
import {statusWord, webhookCommand} from '../../core/webhooks.js';
import {listPane, pane, type RenderPane, textLines} from './pane.js';

/** Webhook endpoints of the user. */
export const endpointPane: RenderPane = ({webhooks: {endpoints, endpointsRead}}, place) =>
	listPane({
		title: 'Endpoints',
		note: String(endpoints.rows.length),
		place,
		list: endpoints,
		cellsOf: ({url, is_active: isActive}) => [
			{text: url, width: place.width - 1 - (isActive ? 0 : 5)},
			{text: ' off', width: isActive ? 0 : 5, color: 'yellow'},
		],
		empty: endpointsRead === '' ? 'Loading …' : `No endpoints yet. Run: ${webhookCommand}`,
	});

const statusColors = {delivered: 'green', pending: 'cyan', failed: 'yellow', dead: 'red'} as const;

/** Deliveries to the selected endpoint. */
export const deliveryListPane: RenderPane = ({webhooks: {endpoints, deliveries, total}}, place) =>
	listPane({
		title: 'Deliveries',
		note: deliveries.rows.length < total ? `${deliveries.rows.length} of ${total}` : String(total),
		place,
		list: deliveries,
		cellsOf(delivery) {
			const {created_at: time, status, attempts, response_status: code, event} = delivery;
			return [
				{text: clockTime(time, new Date()), width: 9, dim: true},
				{text: ` ${statusWord(delivery)}`, width: 11, color: statusColors[status]},
				{text: String(code ?? '-').padStart(4), width: 5},
				{text: `${attempts}×`.padStart(4), width: 5, dim: true},
				{text: ` ${event}`, width: place.width - 31},
			];
		},
		empty: endpoints.rows.length > 0 ? 'No deliveries yet. Press t to send a test.' : '',
	});

/** Selected delivery in full. */
export const deliveryPane: RenderPane = ({webhooks: {lines, top}}, place) =>
	pane({title: 'Delivery', place}, textLines(lines.slice(top, top + place.height - 1), {width: place.width}));
