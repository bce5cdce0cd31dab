import type {Delivery} from '../../../domain/webhooks/delivery.js';
import type {DeliveryStore} from '../../port.js';
import {batched} from '../batched.js';
import type {Database} from '../database.js';
import {finishDeliveries} from '../deliveries/finish.js';
import type {DeliveryLeases} from '../deliveries/leases.js';
import {deliveryPage, findDelivery} from '../deliveries/log.js';
import type {LogDays} from '../deliveries/log-days.js';
import {putDeliveries} from '../deliveries/put.js';
import {dropResponses, LogFloors, pruneLog, trimLog} from '../deliveries/retention.js';

export type PostgresDeliveriesOptions = {
	readonly nodeId: string;
	readonly leases: DeliveryLeases;
	readonly days: LogDays;
};

export function postgresDeliveries(
	database: Database,
	{nodeId, leases, days}: PostgresDeliveriesOptions,
): DeliveryStore {
	const floors = new LogFloors();
	const finish = batched(async (deliveries: readonly Delivery[]) => {
		const written = new Map((await finishDeliveries(database, deliveries, nodeId)).map(each => [each.id, each]));
		return deliveries.map(({id}) => written.get(id));
	});
	return {
		put: async deliveries => {
			const {waiting, isChange} = await database.begin(async sql => putDeliveries(sql, deliveries, nodeId));
			leases.note(waiting);
			if (isChange) {
				leases.lookAgain();
			}
		},
		get: async id => findDelivery(database, id),
		list: async (endpointId, filter, page) => deliveryPage(database, endpointId, filter, page),
		lease: async (now, room) => leases.take(now, room),
		leaseOne: async id => leases.takeOne(id),
		leaseInterrupted: async () => leases.takeInterrupted(),
		finish: async delivery => {
			const written = await finish(delivery);
			if (written && delivery.nextAttemptAt !== null) {
				leases.note([{...written, at: delivery.nextAttemptAt}]);
			}

			return written !== undefined;
		},
		release: async id => leases.release(id),
		nextDue: async after => {
			const [next] = await database.run(
				sql => sql<{at: string}[]>`
					select next_attempt_at as at from deliveries d
					where next_attempt_at > ${after} and exists (select from endpoints e where e.id = d.endpoint_id)
					order by next_attempt_at limit 1
				`,
			);
			return next?.at;
		},
		prune: async (endpointId, limits) => {
			// A day that somebody reads goes another time; what is too old in it goes one by one.
			await days.dropBefore(limits.since.slice(0, 10)).catch(() => {});
			await database.whole(async begin => {
				await pruneLog(begin, endpointId, limits, floors);
				await dropResponses(begin, endpointId, limits, floors);
			});
		},
		trim: async (userId, keep) => database.whole(async begin => trimLog(begin, userId, keep)),
	};
}
