import {offsetOf, type Page} from '../../../contract/constants.js';
import type {Delivery, Endpoint} from '../../../domain/webhooks/delivery.js';
import type {DeliveryFilter, DeliveryStore, EndpointStore, Rows} from '../../port.js';
import {deleteOwner, hideOwner} from '../deletion.js';
import type {DeliveryLeases} from '../deliveries/leases.js';
import {dropResponses, LogFloors, type LogPartitions, pruneLog, trimLog} from '../deliveries/retention.js';
import {finishDeliveries, putDeliveries, type StoredDelivery, wholeDelivery} from '../deliveries/write.js';
import {insertion} from '../rows.js';
import {batched} from '../session/batched.js';
import {background, type Database} from '../session/database.js';
import type {Row, Sql} from '../session/session.js';
import {countForUser} from './usage.js';

/** `changed` is called after a change of the deliveries that are due. */
export function createEndpointStore(database: Database, changed: () => void): EndpointStore {
	/** The active endpoints of a user, newest first. */
	const activeOf = batched<string, readonly Endpoint[]>(async userIds => {
		const active = await database.rows<Endpoint>(
			sql => sql`
				select row from endpoints where user_id = any(${[...new Set(userIds)]}) and is_active order by place desc
			`,
		);
		return userIds.map(id => active.filter(({userId}) => userId === id));
	});
	return {
		create: async (endpoint, check) =>
			database.inTurn(endpoint.userId, [endpoint.userId], async sql => {
				await countForUser(sql, endpoint.userId, {endpoints: 1}, check);
				await insertion(sql, 'endpoints', [endpoint]);
			}),
		get: async id => database.row(sql => sql`select row from endpoints where id = ${id}`),
		listOf: async userId =>
			database.rows(sql => sql`select row from endpoints where user_id = ${userId} order by place desc`),
		subscribed: async (userIds, event) => {
			const active = await Promise.all([...new Set(userIds)].map(activeOf));
			return active.flat().filter(({events}) => events.includes(event));
		},
		update: async (id, patch, by = background) => {
			const [updated] = await database.inTurn(
				by,
				[id],
				async sql => sql<Row<Endpoint>[]>`
					update endpoints
					set row = row || ${sql.json(patch)}, is_active = coalesce(${patch.isActive ?? null}, is_active)
					where id = ${id}
					returning row
				`,
			);
			changed();
			return updated?.row;
		},
		delete: async (id, by) => deleteOwner(database, {id, by}, async sql => hideOwner(sql, 'endpoint', id), changed),
	};
}

type PostgresDeliveriesOptions = {
	readonly nodeId: string;
	readonly leases: DeliveryLeases;
	readonly partitions: LogPartitions;
};

export function createDeliveryStore(
	database: Database,
	{nodeId, leases, partitions}: PostgresDeliveriesOptions,
): DeliveryStore {
	const floors = new LogFloors();
	const finish = batched(async (deliveries: readonly Delivery[]) => {
		const written = new Map((await finishDeliveries(database, deliveries, nodeId)).map(each => [each.id, each]));
		return deliveries.map(({id}) => written.get(id));
	});
	return {
		put: async (deliveries, by = background) => {
			const {waiting, isChange} = await database.begin(by, async sql => putDeliveries(sql, deliveries, nodeId));
			leases.note(waiting);
			if (isChange) {
				leases.scanAgain();
			}
		},
		get: async id => findDelivery(database, id),
		list: async (endpointId, filter, page) => deliveryPage(database, endpointId, filter, page),
		lease: async (now, budget) => leases.lease(now, budget),
		leaseOne: async (id, by = background) => leases.leaseOne(id, by),
		leaseInterrupted: async () => leases.leaseInterrupted(),
		finish: async delivery => {
			const written = await finish(delivery);
			if (written && delivery.nextAttemptAt !== null) {
				leases.note([{...written, at: delivery.nextAttemptAt}]);
			}

			return written !== undefined;
		},
		release: async id => leases.release(id),
		nextDue: async after =>
			database.time(
				sql => sql`
					select next_attempt_at as at from deliveries d
					where next_attempt_at > ${after} and exists (select from endpoints e where e.id = d.endpoint_id)
					order by next_attempt_at limit 1
				`,
			),
		prune: async (endpointId, limits) => {
			// A partition in use is dropped another time; its old rows are deleted below.
			await partitions.dropBefore(limits.since.slice(0, 10)).catch(() => {});
			await database.whole(background, async begin => {
				await pruneLog(begin, endpointId, limits, floors);
				await dropResponses(begin, endpointId, limits, floors);
			});
		},
		trim: async (userId, keep) => database.whole(background, async begin => trimLog(begin, userId, keep)),
	};
}

async function findDelivery(database: Database, id: string): Promise<Delivery | undefined> {
	const [found] = await database.run(
		sql => sql<StoredDelivery[]>`
			select d.row, coalesce(d.body, b.text) as body
			from (
				select endpoint_id, row, body, body_id from deliveries where id = ${id}
				union all select endpoint_id, row, body, body_id from finished_deliveries where id = ${id}
			) d join endpoints e on e.id = d.endpoint_id left join bodies b on b.id = d.body_id
		`,
	);
	return found && wholeDelivery(found);
}

/** Deliveries of an endpoint, newest first. */
async function deliveryPage(
	database: Database,
	endpointId: string,
	filter: DeliveryFilter,
	page: Page,
): Promise<Rows<Delivery>> {
	const [rows, [counted]] = await database.run(async sql =>
		Promise.all([
			sql<StoredDelivery[]>`
				select d.row, coalesce(d.body, b.text) as body
				from (
					select place, row, body, body_id from deliveries where ${matching(sql, endpointId, filter)}
					union all select place, row, body, body_id from finished_deliveries where ${matching(sql, endpointId, filter)}
					order by place desc limit ${page.limit} offset ${offsetOf(page)}
				) d left join bodies b on b.id = d.body_id
				order by d.place desc
			`,
			sql<{total: number}[]>`
				select (select count(*) from deliveries where ${matching(sql, endpointId, filter)})
					+ (select count(*) from finished_deliveries where ${matching(sql, endpointId, filter)}) as total
			`,
		]),
	);
	return {rows: rows.map(wholeDelivery), total: counted?.total ?? 0};
}

function matching(sql: Sql, endpointId: string, {status, event, messageId}: DeliveryFilter) {
	return sql`
		endpoint_id = ${endpointId} ${status === undefined ? sql`` : sql`and status = ${status}`}
		${event === undefined ? sql`` : sql`and event = ${event}`}
		${messageId === undefined ? sql`` : sql`and row ->> 'messageId' = ${messageId}`}
	`;
}
