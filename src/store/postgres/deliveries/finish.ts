import type {Delivery} from '../../../domain/webhooks/delivery.js';
import type {Database} from '../database.js';
import type {Waiting} from './due-endpoints.js';
import {changedOf} from './rows.js';

type Written = {readonly id: string} & Waiting;

/**
 * Writes down what came of deliveries that this node holds, and lets go of them: what is finished goes into the log. Resolves to
 * those that were written, with when they are due again; the others it holds no longer, or they are gone.
 *
 * Rows are found by their ids one by one (`lateral`), then by where they are (`ctid = any`): the planner, which thinks that there
 * are few, would rather read a whole table or index, where deleted ones may be many times as many.
 */
export async function finishDeliveries(
	database: Database,
	deliveries: readonly Delivery[],
	nodeId: string,
): Promise<readonly Written[]> {
	return database.run(
		sql => sql<Written[]>`
			with given as materialized (
				select * from jsonb_to_recordset(${sql.json(deliveries.map(changedOf))}) as g (
					id text, response int, status text, next_attempt_at text, row jsonb
				)
			), held as (
				delete from leases l where l.node = ${nodeId} and l.ctid = any(array(
					select found.ctid from given g cross join lateral (
						select l.ctid from leases l where l.delivery_id = g.id and l.node = ${nodeId} and l.until > now() limit 1
					) found
				))
				returning l.delivery_id as id
			), found as materialized (
				select g.*, there.*, g.next_attempt_at is not null or g.status = 'pending' as is_unfinished
				from held join given g using (id) cross join lateral (
					select d.ctid as place, d.next_attempt_at is not null or d.status = 'pending' as was_unfinished
					from deliveries d where d.id = g.id limit 1
				) there
			), retried as (
				update deliveries d
				set response = f.response, status = f.status, next_attempt_at = f.next_attempt_at, row = f.row
				from found f
				where d.ctid = any(array(select place from found where is_unfinished)) and d.id = f.id
				returning d.id, d.endpoint_id, d.user_id, d.next_attempt_at, d.weight, f.was_unfinished
			), gone as (
				delete from deliveries d
				where d.ctid = any(array(select place from found where not is_unfinished))
				returning d.*
			), logged as (
				insert into finished_deliveries
					(id, endpoint_id, user_id, place, body, body_id, weight, response, status, event, created_at, row)
				select
					gone.id, endpoint_id, user_id, gone.place, body, body_id, weight, f.response, f.status, event, created_at, f.row
				from gone join found f using (id)
			), changed as (
				select user_id, weight, f.was_unfinished, false as is_unfinished from gone join found f using (id)
				union all
				select user_id, weight, was_unfinished, true from retried
			), counted as (
				insert into delivery_counts (user_id, unfinished, finished)
				select
					user_id, sum(weight * (is_unfinished::int - was_unfinished::int)),
					sum(weight * (was_unfinished::int - is_unfinished::int))
				from changed where is_unfinished <> was_unfinished group by user_id
			)
			select id, endpoint_id as "endpointId", user_id as "userId", next_attempt_at as at from retried
			union all select id, endpoint_id, user_id, null from gone
		`,
	);
}
