import {randomUUID} from 'node:crypto';
import {offsetOf} from '../../../contract/page.js';
import {type Delivery, isUnfinished} from '../../../domain/webhook.js';
import type {Busy, DeliveryStore, Due, LogLimits} from '../../store.js';
import type {Change, Delete, DeliveryRow, Patch, Put, SharedBody} from '../state/change.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';
import {rowsOf} from './rows.js';

const rowsPerCommit = 1000;

export function createDeliveryStore(state: State, writer: Writer): DeliveryStore {
	const {deliveries} = state.tables;
	const rowsOfEndpoint = (id: string) => rowsOf(deliveries, state.deliveriesOfEndpoint.newestFirst(id));
	return {
		put: async rows => {
			await writer.commit(rows.map(row => (deliveries.has(row.id) ? patchOf(row) : ['put', 'deliveries', row])));
		},
		get: async id => {
			const row = deliveries.get(id);
			return row && whole(row, state);
		},
		list: async (endpointId, {status, event}, page) => {
			const matching = rowsOfEndpoint(endpointId).filter(
				row => (status === undefined || row.status === status) && (event === undefined || row.event === event),
			);
			const rows = matching.slice(offsetOf(page), offsetOf(page) + page.limit);
			return {rows: rows.map(row => whole(row, state)), total: matching.length};
		},
		due: async (now, limit, busy) => {
			const found: Due[] = [];
			for (const userId of state.queues.users(now)) {
				const isPassed = busy.users.has(userId) || state.tables.users.isLeaving(userId);
				const due = isPassed ? undefined : dueOf(userId, state, now, busy);
				if (due && found.push(due) >= limit) {
					break;
				}
			}

			return found;
		},
		nextDue: async after => state.queues.next(after),
		interrupted: async () =>
			[...deliveries.values()]
				.filter(row => row.nextAttemptAt === null && isUnfinished(row))
				.map(row => whole(row, state)),
		prune: async (endpointId, limits) => {
			// Apart from each other: a full disk takes nothing but deletes.
			for (const changeOf of [deletesOf, dropsOf]) {
				const change = changeOf(rowsOfEndpoint(endpointId), limits);
				for (let first = 0; first < change.length; first += rowsPerCommit) {
					await writer.commit(change.slice(first, first + rowsPerCommit));
				}
			}
		},
		trim: async (userId, keep) => {
			let change = tooMuchOf(userId, state, keep);
			while (change.length > 0) {
				await writer.commit(change);
				change = tooMuchOf(userId, state, keep);
			}
		},
	};
}

/** What stores new deliveries: a body that several of them have is stored once. */
export function putsOf(deliveries: readonly Delivery[]): readonly Put<'bodies' | 'deliveries'>[] {
	const shared = new Map<string, SharedBody>();
	const seen = new Set<string>();
	for (const {body} of deliveries) {
		if (seen.has(body) && !shared.has(body)) {
			shared.set(body, {id: randomUUID(), text: body});
		}

		seen.add(body);
	}

	return [
		...[...shared.values()].map(body => ['put', 'bodies', body] as const),
		...deliveries.map(delivery => ['put', 'deliveries', rowOf(delivery, shared.get(delivery.body))] as const),
	];
}

function rowOf(delivery: Delivery, shared: SharedBody | undefined): DeliveryRow {
	if (!shared) {
		return delivery;
	}

	const {body, ...fields} = delivery;
	return {...fields, bodyId: shared.id, bodyLength: body.length};
}

/** What changes of a delivery that is there: never its body. */
function patchOf({body: _, ...fields}: Delivery): Patch<'deliveries'> {
	return ['patch', 'deliveries', fields.id, fields];
}

/** A delivery with its body. */
export function whole({bodyId, bodyLength: _, ...fields}: DeliveryRow, {tables}: Pick<State, 'tables'>): Delivery {
	return {...fields, body: fields.body ?? tables.bodies.get(bodyId ?? '')?.text ?? ''};
}

function deletesOf(rows: readonly DeliveryRow[], {keep, since}: LogLimits): Change {
	return rows
		.filter(row => !isUnfinished(row))
		.filter(({createdAt}, index) => index >= keep || createdAt < since)
		.map(({id}) => ['delete', 'deliveries', id]);
}

/** Deletes the finished deliveries of a user that weigh too much, the oldest, as many as one commit takes. */
function tooMuchOf(userId: string, state: State, keep: number): Change {
	const change: Delete[] = [];
	let tooMuch = state.finishedOfUser.of(userId) - keep;
	for (const id of tooMuch > 0 ? state.logOfUser.oldestFirst(userId) : []) {
		const row = state.tables.deliveries.get(id);
		if (tooMuch <= 0 || !row || change.push(['delete', 'deliveries', id]) === rowsPerCommit) {
			break;
		}

		tooMuch -= state.weightOfDelivery(row);
	}

	return change;
}

/** Drops the responses of the older rows. */
function dropsOf(rows: readonly DeliveryRow[], {responseLength}: LogLimits): Change {
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
				return {delivery: whole(delivery, {tables}), endpoint};
			}
		}
	}

	return undefined;
}
