import {offsetOf} from '../../../contract/constants.js';
import {type Delivery, isUnfinished, maxPerEndpoint} from '../../../domain/webhooks/delivery.js';
import {eventBody} from '../../../domain/webhooks/request.js';
import type {Log} from '../../../lib/log.js';
import type {DeliveryLogLimits, DeliveryStore, Due, EndpointStore} from '../../port.js';
import {assertUserExists} from '../../rules/accounts.js';
import {RemainingBudget, sharedBodies} from '../../rules/webhooks.js';
import type {Change, Delete, DeliveryRow, Patch, Put} from '../state/change.js';
import type {State} from '../state/state.js';
import {batches, rowsOf} from '../state/table.js';
import type {Writer} from '../writer.js';

/** Maximum number of deliveries that one commit changes. */
const deliveriesPerCommit = 1000;

/** Webhook endpoints in the JSON store. */
export function createEndpointStore(state: State, writer: Writer): EndpointStore {
	const {endpoints, users} = state.tables;
	const ownerOf = (id: string) => endpoints.get(id)?.userId ?? '';
	const listOf = (userId: string) => rowsOf(endpoints, state.endpointsOfUser.newestFirst(userId));
	return {
		create: async endpoint =>
			writer.exclusive(endpoint.userId, async () => {
				assertUserExists(users.get(endpoint.userId));
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

/** Webhook deliveries in the JSON store. Leases are kept in memory, since no other process uses the files. */
export function createDeliveryStore(state: State, writer: Writer): DeliveryStore {
	const {deliveries} = state.tables;
	const leases = new LeasedDeliveries();
	/** Ids of test deliveries that a previous process did not finish. */
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
			const matches = rowsOfEndpoint(endpointId).filter(
				row =>
					(status === undefined || row.status === status) &&
					(event === undefined || row.event === event) &&
					(messageId === undefined || row.messageId === messageId),
			);
			const rows = matches.slice(offsetOf(page), offsetOf(page) + page.limit);
			return {rows: rows.map(row => withBody(row, state)), total: matches.length};
		},
		lease: async (now, budget) => leaseDue(state, leases, now, new RemainingBudget(budget)),
		leaseOne: async id => {
			const row = deliveries.get(id);
			const endpoint = row && state.tables.endpoints.get(row.endpointId);
			if (!endpoint) {
				return undefined;
			}

			if (!leases.has(id) && leases.isFull(endpoint.id)) {
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
			// Two commits, since a full disk accepts only deletes.
			for (const changeOf of [oldDeliveryDeletes, responsePatches]) {
				const change = changeOf(rowsOfEndpoint(endpointId), limits);
				for (const part of batches(change, deliveriesPerCommit)) {
					await writer.commit(part);
				}
			}
		},
		trim: async (userId, keep) => {
			let change = excessDeletes(userId, state, keep);
			while (change.length > 0) {
				await writer.commit(change);
				change = excessDeletes(userId, state, keep);
			}
		},
	};
}

/** The puts for new deliveries. A body of several deliveries is stored once. */
export function putsOf(deliveries: readonly Delivery[]): readonly Put<'bodies' | 'deliveries'>[] {
	const shared = sharedBodies(deliveries);
	return [
		...[...shared.values()].map(body => ['put', 'bodies', body] as const),
		...deliveries.map((delivery): Put<'deliveries'> => {
			const {body, ...fields} = delivery;
			const bodyId = shared.get(body)?.id;
			return ['put', 'deliveries', bodyId === undefined ? delivery : {...fields, bodyId, bodyLength: body.length}];
		}),
	];
}

/** Converts a row to a delivery with its body. */
export function withBody({bodyId, bodyLength: _, ...fields}: DeliveryRow, {tables}: Pick<State, 'tables'>): Delivery {
	return {...fields, body: fields.body ?? tables.bodies.get(bodyId ?? '')?.text ?? ''};
}

/**
 * Recreates shared bodies that were lost to damage from the messages of the deliveries. A delivery whose message was deleted
 * is marked as dead. Called at start.
 */
export async function restoreBodies(state: State, writer: Pick<Writer, 'commit'>, log: Log): Promise<void> {
	const {deliveries, messages, bodies} = state.tables;
	const patches = [...deliveries.values()]
		.filter(({body, bodyId = ''}) => body === undefined && !bodies.has(bodyId))
		.map(({id, messageId}): Patch<'deliveries'> => {
			const message = messages.get(messageId ?? '');
			return ['patch', 'deliveries', id, message ? {body: eventBody(message)} : unsendable];
		});
	for (const change of batches(patches, deliveriesPerCommit)) {
		await writer.commit(change).catch(error => {
			log.warn({err: error}, 'Could not save restored webhook bodies; retrying at the next start');
			state.apply(change);
		});
	}
}

const unsendable: Partial<DeliveryRow> = {
	body: '',
	status: 'dead',
	nextAttemptAt: null,
	responseBody: 'Not sent: the body was damaged, and its message is deleted.',
};

/** The patch for an existing delivery, whose body never changes. */
function patchOf({body: _, ...fields}: Delivery): Patch<'deliveries'> {
	return ['patch', 'deliveries', fields.id, fields];
}

/** Deletes for finished deliveries beyond the limits. `rows` are newest first. */
function oldDeliveryDeletes(rows: readonly DeliveryRow[], {keep, since}: DeliveryLogLimits): Change {
	return rows
		.filter(row => !isUnfinished(row))
		.filter(({createdAt}, index) => index >= keep || createdAt < since)
		.map(({id}) => ['delete', 'deliveries', id]);
}

/** Patches that drop responses beyond the limit. `rows` are newest first. */
function responsePatches(rows: readonly DeliveryRow[], {responseLength}: DeliveryLogLimits): Change {
	let length = 0;
	return rows
		.filter(({responseBody}) => {
			length += responseBody?.length ?? 0;
			return responseBody !== null && length > responseLength;
		})
		.map(({id}) => ['patch', 'deliveries', id, {responseBody: null}]);
}

/** Deletes for the first finished deliveries of a user beyond the weight `keep`, limited to one commit. */
function excessDeletes(userId: string, state: State, keep: number): Change {
	const change: Delete[] = [];
	let excess = state.finishedOfUser.of(userId) - keep;
	for (const id of excess > 0 ? state.logOfUser.oldestFirst(userId) : []) {
		const row = state.tables.deliveries.get(id);
		if (excess <= 0 || !row || change.push(['delete', 'deliveries', id]) === deliveriesPerCommit) {
			break;
		}

		excess -= state.weightOfDelivery(row);
	}

	return change;
}

/** True for a test delivery whose only attempt is pending. */
function isInterrupted(row: DeliveryRow): boolean {
	return row.nextAttemptAt === null && isUnfinished(row);
}

/** Leases one due delivery per user in turns, until there is none left or the budget is used up. */
function leaseDue(state: State, leases: LeasedDeliveries, now: string, budget: RemainingBudget): readonly Due[] {
	const leased: Due[] = [];
	for (let before = -1; before < leased.length && budget.all > 0; ) {
		before = leased.length;
		for (const userId of state.queues.users(now)) {
			if (budget.all <= 0) {
				break;
			}

			const isSkipped = budget.ofUser(userId) <= 0 || state.tables.users.isBeingDeleted(userId);
			const due = isSkipped ? undefined : nextDueOf(userId, state, {now, budget, leases});
			if (due) {
				budget.take(userId, due.endpoint.id);
				leases.take(due.delivery.id, due.endpoint.id);
				leased.push(due);
			}
		}
	}

	return leased;
}

type LeaseContext = {readonly now: string; readonly budget: RemainingBudget; readonly leases: LeasedDeliveries};

/** The longest due delivery of the user, among active endpoints within the budget. */
function nextDueOf(userId: string, {queues, tables}: State, {now, budget, leases}: LeaseContext): Due | undefined {
	for (const endpointId of queues.endpointsOf(userId, now)) {
		const isSkipped = budget.ofEndpoint(endpointId) <= 0 || leases.isFull(endpointId);
		for (const id of isSkipped ? [] : queues.deliveriesOf(endpointId, now)) {
			const delivery = leases.has(id) ? undefined : tables.deliveries.get(id);
			const endpoint = tables.endpoints.get(endpointId);
			if (delivery && endpoint) {
				return {delivery: withBody(delivery, {tables}), endpoint};
			}
		}
	}

	return undefined;
}

/** Leased deliveries, and their number per endpoint. */
class LeasedDeliveries {
	readonly #endpointOf = new Map<string, string>();
	readonly #countOf = new Map<string, number>();

	has(deliveryId: string): boolean {
		return this.#endpointOf.has(deliveryId);
	}

	/** True if the endpoint has the maximum number of leases. */
	isFull(endpointId: string): boolean {
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
