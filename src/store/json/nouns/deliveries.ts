import {randomUUID} from 'node:crypto';
import {offsetOf} from '../../../contract/constants.js';
import {type Delivery, isUnfinished} from '../../../domain/webhooks/delivery.js';
import type {DeliveryStore, Due, LogLimits} from '../../delivery-store.js';
import {RoomLeft} from '../../room.js';
import {Leases} from '../leases.js';
import type {Change, Delete, DeliveryRow, Patch, Put, SharedBody} from '../state/change.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';
import {rowsOf} from './rows.js';

const rowsPerCommit = 1000;

export function createDeliveryStore(state: State, writer: Writer): DeliveryStore {
	const {deliveries} = state.tables;
	const leases = new Leases();
	/** No process is there any more that could have made their attempt. */
	const interrupted = [...deliveries.values()].filter(isInterrupted).map(({id}) => id);
	const rowsOfEndpoint = (id: string) => rowsOf(deliveries, state.deliveriesOfEndpoint.newestFirst(id));
	return {
		put: async rows => {
			await writer.commit(rows.map(row => (deliveries.has(row.id) ? patchOf(row) : ['put', 'deliveries', row])));
		},
		get: async id => {
			const row = deliveries.get(id);
			return row && whole(row, state);
		},
		list: async (endpointId, {status, event, messageId}, page) => {
			const matching = rowsOfEndpoint(endpointId).filter(
				row =>
					(status === undefined || row.status === status) &&
					(event === undefined || row.event === event) &&
					(messageId === undefined || row.messageId === messageId),
			);
			const rows = matching.slice(offsetOf(page), offsetOf(page) + page.limit);
			return {rows: rows.map(row => whole(row, state)), total: matching.length};
		},
		lease: async (now, room) => {
			const found: Due[] = [];
			const left = new RoomLeft(room);
			for (let before = -1; before < found.length && left.all > 0; ) {
				before = found.length;
				for (const userId of state.queues.users(now)) {
					if (left.all <= 0) {
						break;
					}

					const isPassed = left.ofUser(userId) <= 0 || state.tables.users.isLeaving(userId);
					const due = isPassed ? undefined : dueOf(userId, state, {now, left, leases});
					if (due) {
						left.take(userId, due.endpoint.id);
						leases.take(due.delivery.id, due.endpoint.id);
						found.push(due);
					}
				}
			}

			return found;
		},
		leaseOne: async id => {
			const row = deliveries.get(id);
			const endpoint = row && state.tables.endpoints.get(row.endpointId);
			if (!endpoint) {
				return undefined;
			}

			if (!leases.has(id) && leases.isCrowded(endpoint.id)) {
				return 'busy';
			}

			leases.take(id, endpoint.id);
			return {delivery: whole(row, state), endpoint};
		},
		leaseInterrupted: async () =>
			rowsOf(deliveries, interrupted)
				.filter(row => isInterrupted(row) && !leases.has(row.id))
				.map(row => {
					leases.take(row.id, row.endpointId);
					return whole(row, state);
				}),
		finish: async delivery => {
			const isEffective = leases.has(delivery.id) && (await writer.commit([patchOf(delivery)]));
			leases.release(delivery.id);
			return isEffective;
		},
		release: async id => leases.release(id),
		nextDue: async after => state.queues.next(after),
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

/** A test that waits for its attempt, or had begun it. */
function isInterrupted(row: DeliveryRow): boolean {
	return row.nextAttemptAt === null && isUnfinished(row);
}

type Looking = {readonly now: string; readonly left: RoomLeft; readonly leases: Leases};

/** Of the user's active endpoints that have room, the one that waits longest, and its delivery that is due longest. */
function dueOf(userId: string, {queues, tables}: State, {now, left, leases}: Looking): Due | undefined {
	for (const endpointId of queues.endpointsOf(userId, now)) {
		const isPassed = left.ofEndpoint(endpointId) <= 0 || leases.isCrowded(endpointId);
		for (const id of isPassed ? [] : queues.deliveriesOf(endpointId, now)) {
			const delivery = leases.has(id) ? undefined : tables.deliveries.get(id);
			const endpoint = tables.endpoints.get(endpointId);
			if (delivery && endpoint) {
				return {delivery: whole(delivery, {tables}), endpoint};
			}
		}
	}

	return undefined;
}
