import {offsetOf} from '../../../contract/page.js';
import type {Delivery} from '../../../domain/webhook.js';
import type {Busy, DeliveryStore, Due, LogLimits} from '../../store.js';
import type {Change} from '../state/change.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';
import {rowsOf} from './rows.js';

export function createDeliveryStore(state: State, writer: Writer): DeliveryStore {
	const {deliveries} = state.tables;
	const rowsOfEndpoint = (id: string) => rowsOf(deliveries, state.deliveriesOfEndpoint.newestFirst(id));
	return {
		put: async rows => {
			await writer.commit(rows.map(row => ['put', 'deliveries', row]));
		},
		get: async id => deliveries.get(id),
		list: async (endpointId, {status, event}, page) => {
			const matching = rowsOfEndpoint(endpointId).filter(
				row => (status === undefined || row.status === status) && (event === undefined || row.event === event),
			);
			return {rows: matching.slice(offsetOf(page), offsetOf(page) + page.limit), total: matching.length};
		},
		due: async (now, limit, busy) => {
			const found: Due[] = [];
			for (const userId of state.queues.users(now)) {
				const due = busy.users.has(userId) ? undefined : dueOf(userId, state, now, busy);
				if (due && found.push(due) >= limit) {
					break;
				}
			}

			return found;
		},
		nextDue: async after => state.queues.next(after),
		interrupted: async () =>
			[...deliveries.values()].filter(({status, nextAttemptAt}) => status === 'pending' && nextAttemptAt === null),
		prune: async (endpointId, limits) => {
			// Apart from each other: a full disk takes nothing but deletes.
			await writer.commit(deletesOf(rowsOfEndpoint(endpointId), limits));
			await writer.commit(dropsOf(rowsOfEndpoint(endpointId), limits));
		},
	};
}

function deletesOf(rows: readonly Delivery[], {keep, since}: LogLimits): Change {
	return rows
		.filter(({nextAttemptAt, status}) => nextAttemptAt === null && status !== 'pending')
		.filter(({createdAt}, index) => index >= keep || createdAt < since)
		.map(({id}) => ['delete', 'deliveries', id]);
}

/** Drops the responses of the older rows. */
function dropsOf(rows: readonly Delivery[], {responseLength}: LogLimits): Change {
	let length = 0;
	return rows
		.filter(({responseBody}) => {
			length += responseBody?.length ?? 0;
			return responseBody !== null && length > responseLength;
		})
		.map(({id}) => ['patch', 'deliveries', id, {responseBody: null}]);
}

/** Of the user's active endpoints that are not busy, the one that waits longest, and its delivery that is due longest. */
function dueOf(userId: string, {queues, tables}: State, now: string, busy: Busy): Due | undefined {
	for (const endpointId of queues.endpointsOf(userId, now)) {
		for (const id of busy.endpoints.has(endpointId) ? [] : queues.deliveriesOf(endpointId, now)) {
			const delivery = busy.deliveries.has(id) ? undefined : tables.deliveries.get(id);
			const endpoint = tables.endpoints.get(endpointId);
			if (delivery && endpoint) {
				return {delivery, endpoint};
			}
		}
	}

	return undefined;
}
