import {randomUUID} from 'node:crypto';
import {offsetOf} from '../../../contract/constants.js';
import {type Delivery, isUnfinished, maxPerEndpoint} from '../../../domain/webhooks/delivery.js';
import type {DeliveryStore, Due, EndpointStore, LogLimits} from '../../port.js';
import {assertUserExists} from '../../rules/accounts.js';
import {RemainingBudget} from '../../rules/webhooks.js';
import type {Change, Delete, DeliveryRow, Patch, Put, SharedBody} from '../state/change.js';
import type {State} from '../state/state.js';
import {rowsOf} from '../state/table.js';
import type {Writer} from '../writer.js';

export function createEndpointStore(state: State, writer: Writer): EndpointStore {
	const {endpoints} = state.tables;
	const ownerOf = (id: string) => endpoints.get(id)?.userId ?? '';
	const listOf = (userId: string) => rowsOf(endpoints, state.endpointsOfUser.newestFirst(userId));
	return {
		create: async endpoint =>
			writer.exclusive(endpoint.userId, async () => {
				assertUserExists(state.tables.users.get(endpoint.userId));
				await writer.commit([['put', 'endpoints', endpoint]]);
			}),
		get: async id => endpoints.get(id),
		listOf: async userId => listOf(userId),
		subscribed: async (userIds, event) =>
			[...new Set(userIds)].flatMap(listOf).filter(({isActive, events}) => isActive && events.includes(event)),
		update: async (id, patch) =>
			writer.exclusive(ownerOf(id), async () => {
				await writer.commit([['patch', 'endpoints', id, patch]]);
				return endpoints.get(id);
			}),
		delete: async id => writer.delete(ownerOf(id), () => (endpoints.has(id) ? [['delete', 'endpoints', id]] : [])),
	};
}

const rowsPerCommit = 1000;

export function createDeliveryStore(state: State, writer: Writer): DeliveryStore {
	const {deliveries} = state.tables;
	const leases = new DeliveryLeases();
	/** No process is there any more that could have made their attempt. */
	const interrupted = [...deliveries.values()].filter(isInterrupted).map(({id}) => id);
	const rowsOfEndpoint = (id: string) => rowsOf(deliveries, state.deliveriesOfEndpoint.newestFirst(id));
	return {
		put: async rows => {
			await writer.commit(rows.map(row => (deliveries.has(row.id) ? patchOf(row) : ['put', 'deliveries', row])));
		},
		get: async id => {
			const row = deliveries.get(id);
			return row && withBody(row, state);
		},
		list: async (endpointId, {status, event, messageId}, page) => {
			const matching = rowsOfEndpoint(endpointId).filter(
				row =>
					(status === undefined || row.status === status) &&
					(event === undefined || row.event === event) &&
					(messageId === undefined || row.messageId === messageId),
			);
			const rows = matching.slice(offsetOf(page), offsetOf(page) + page.limit);
			return {rows: rows.map(row => withBody(row, state)), total: matching.length};
		},
		lease: async (now, room) => {
			const found: Due[] = [];
			const left = new RemainingBudget(room);
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
			return {delivery: withBody(row, state), endpoint};
		},
		leaseInterrupted: async () =>
			rowsOf(deliveries, interrupted)
				.filter(row => isInterrupted(row) && !leases.has(row.id))
				.map(row => {
					leases.take(row.id, row.endpointId);
					return withBody(row, state);
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
export function withBody({bodyId, bodyLength: _, ...fields}: DeliveryRow, {tables}: Pick<State, 'tables'>): Delivery {
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

type Looking = {readonly now: string; readonly left: RemainingBudget; readonly leases: DeliveryLeases};

/** Of the user's active endpoints that have room, the one that waits longest, and its delivery that is due longest. */
function dueOf(userId: string, {queues, tables}: State, {now, left, leases}: Looking): Due | undefined {
	for (const endpointId of queues.endpointsOf(userId, now)) {
		const isPassed = left.ofEndpoint(endpointId) <= 0 || leases.isCrowded(endpointId);
		for (const id of isPassed ? [] : queues.deliveriesOf(endpointId, now)) {
			const delivery = leases.has(id) ? undefined : tables.deliveries.get(id);
			const endpoint = tables.endpoints.get(endpointId);
			if (delivery && endpoint) {
				return {delivery: withBody(delivery, {tables}), endpoint};
			}
		}
	}

	return undefined;
}

/** Which deliveries are held, and where they go. In memory, since no other process writes to the files. */
class DeliveryLeases {
	readonly #endpointOf = new Map<string, string>();
	readonly #countOf = new Map<string, number>();

	has(deliveryId: string): boolean {
		return this.#endpointOf.has(deliveryId);
	}

	/** Whether as many are held of the endpoint as may be. */
	isCrowded(endpointId: string): boolean {
		return (this.#countOf.get(endpointId) ?? 0) >= maxPerEndpoint;
	}

	take(deliveryId: string, endpointId: string): void {
		if (!this.has(deliveryId)) {
			this.#endpointOf.set(deliveryId, endpointId);
			this.#countOf.set(endpointId, 1 + (this.#countOf.get(endpointId) ?? 0));
		}
	}

	release(deliveryId: string): void {
		const endpointId = this.#endpointOf.get(deliveryId);
		const count = this.#countOf.get(endpointId ?? '') ?? 0;
		if (endpointId !== undefined && this.#endpointOf.delete(deliveryId)) {
			if (count > 1) {
				this.#countOf.set(endpointId, count - 1);
			} else {
				this.#countOf.delete(endpointId);
			}
		}
	}
}
