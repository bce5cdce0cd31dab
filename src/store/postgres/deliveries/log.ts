import {offsetOf, type Page} from '../../../contract/constants.js';
import type {Delivery} from '../../../domain/webhooks/delivery.js';
import type {DeliveryFilter, Rows} from '../../port.js';
import type {Sql, Transaction} from '../connection.js';
import type {Database} from '../database.js';
import {type StoredDelivery, wholeDelivery} from './rows.js';

export async function findDelivery(database: Database, id: string): Promise<Delivery | undefined> {
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

/** What was made for an endpoint, the newest first. */
export async function deliveryPage(
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

/** Takes a finished delivery out of the log, to be sent again. */
export async function reopenDelivery(sql: Transaction, id: string): Promise<void> {
	await sql`
		with gone as (delete from finished_deliveries where id = ${id} returning *)
		insert into deliveries (id, endpoint_id, user_id, place, body, body_id, weight, response, status, event, created_at, row)
		select id, endpoint_id, user_id, place, body, body_id, weight, response, status, event, created_at, row from gone
	`;
}

/** Puts finished deliveries that nobody sends again back into the log. */
export async function shelveFinished(sql: Transaction): Promise<void> {
	await sql`
		with free as (
			select d.id from deliveries d
			where d.next_attempt_at is null and d.status <> 'pending'
			and not exists (select from leases l where l.delivery_id = d.id and l.until > now())
			for update of d skip locked
		), gone as (
			delete from deliveries d using free where d.id = free.id returning d.*
		)
		insert into finished_deliveries
			(id, endpoint_id, user_id, place, body, body_id, weight, response, status, event, created_at, row)
		select id, endpoint_id, user_id, place, body, body_id, weight, response, status, event, created_at, row from gone
	`;
}
