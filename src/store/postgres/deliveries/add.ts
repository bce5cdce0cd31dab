import type {Delivery} from '../../../domain/webhooks/delivery.js';
import type {Transaction} from '../connection.js';
import type {Waiting} from './due-endpoints.js';
import {givenOf} from './rows.js';

/** How long a test that was stored may wait for its attempt: it comes when four others to its endpoint are over. */
const untilBegun = '10 minutes';

/**
 * Stores new deliveries, but for those of endpoints that are gone. Resolves to what is due when; to be noted once the
 * transaction is durable.
 */
export async function addDeliveries(
	sql: Transaction,
	deliveries: readonly Delivery[],
	nodeId: string,
): Promise<readonly Waiting[]> {
	if (deliveries.length === 0) {
		return [];
	}

	const {rows, bodies} = givenOf(deliveries);
	return sql<Waiting[]>`
		with given as materialized (
			select g.*, nextval('delivery_places') as place from (
				select g.*, e.user_id, g.next_attempt_at is not null or g.status = 'pending' as is_unfinished
				from rows from (jsonb_to_recordset(${sql.json(rows)}) as (
				id text, endpoint_id text, body text, body_id text, weight int, response int, status text, event text,
				next_attempt_at text, created_at text, row jsonb
			)) with ordinality as g (
				id, endpoint_id, body, body_id, weight, response, status, event, next_attempt_at, created_at, row, number
			)
				join endpoints e on e.id = g.endpoint_id order by g.number
			) g
		), shared as (
			insert into bodies (id, text, uses)
			select b.id, b.text, u.uses
			from jsonb_to_recordset(${sql.json(bodies)}) as b (id text, text text)
			join (select body_id, count(*) as uses from given group by body_id) u on u.body_id = b.id
		), unfinished as (
			insert into deliveries
				(id, endpoint_id, user_id, place, body, body_id, weight, response, status, event, next_attempt_at, created_at, row)
			select id, endpoint_id, user_id, place, body, body_id, weight, response, status, event, next_attempt_at, created_at, row
			from given where is_unfinished
		), finished as (
			insert into finished_deliveries
				(id, endpoint_id, user_id, place, body, body_id, weight, response, status, event, created_at, row)
			select id, endpoint_id, user_id, place, body, body_id, weight, response, status, event, created_at, row
			from given where not is_unfinished
		), tests as (
			insert into leases (delivery_id, node, until)
			select id, ${nodeId}, now() + ${untilBegun}::interval from given where is_unfinished and next_attempt_at is null
		), counted as (
			insert into delivery_counts (user_id, unfinished, finished)
			select
				user_id, coalesce(sum(weight) filter (where is_unfinished), 0),
				coalesce(sum(weight) filter (where not is_unfinished), 0)
			from given group by user_id
		)
		select endpoint_id as "endpointId", user_id as "userId", min(next_attempt_at) as at
		from given where next_attempt_at is not null group by endpoint_id, user_id
	`;
}
