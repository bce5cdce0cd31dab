import {offsetOf} from '../../../contract/page.js';
import type {Delivery} from '../../../domain/webhook.js';
import type {Busy, DeliveryStore, LogLimits} from '../../store.js';
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
		due: async (now, limit, busy) => longestDue(state, now, busy).slice(0, limit),
		nextDue: async after => {
			const times = activeQueues(state).flatMap(([, queue]) => queue.next(after) ?? []);
			return times.sort()[0];
		},
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

/** Of each active endpoint that is not busy the delivery that has been due longest, the longest due first. */
function longestDue(state: State, now: string, busy: Busy): Delivery[] {
	const ids = activeQueues(state)
		.filter(([endpointId]) => !busy.endpoints.has(endpointId))
		.map(([, queue]) => firstFree(queue.until(now), busy) ?? '');
	return rowsOf(state.tables.deliveries, ids).sort((a, b) =>
		(a.nextAttemptAt ?? '') < (b.nextAttemptAt ?? '') ? -1 : 1,
	);
}

function activeQueues({queues, tables}: State) {
	return [...queues.entries()].filter(([endpointId]) => tables.endpoints.get(endpointId)?.isActive);
}

function firstFree(ids: Iterable<string>, busy: Busy): string | undefined {
	for (const id of ids) {
		if (!busy.deliveries.has(id)) {
			return id;
		}
	}

	return undefined;
}
