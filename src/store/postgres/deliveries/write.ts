import {type Delivery, type Endpoint, weightOfBody} from '../../../domain/webhooks/delivery.js';
import {sharedBodies} from '../../rules/webhooks.js';
import {idOf} from '../rows.js';
import type {Database} from '../session/database.js';
import {textOfColumn} from '../session/row-text.js';
import type {AnySql, Transaction} from '../session/session.js';
import type {DueEndpoint} from './due-endpoints.js';

/** Lease of a test delivery until its attempt starts. It may have to wait for four others of its endpoint. */
const untilBegun = '10 minutes';

/** Columns that finished and unfinished deliveries have. */
function columns(sql: AnySql) {
	return sql`id, endpoint_id, user_id, place, body, body_id, weight, response, status, event, created_at, row`;
}

/**
 * Stores new deliveries unless their endpoint was deleted. Resolves to the endpoints with due deliveries, which the caller
 * passes to `DeliveryLeases.note` after the commit.
 */
export async function addDeliveries(
	sql: Transaction,
	deliveries: readonly Delivery[],
	nodeId: string,
): Promise<readonly DueEndpoint[]> {
	if (deliveries.length === 0) {
		return [];
	}

	const bodies = sharedBodies(deliveries, sharedFrom);
	const rows = deliveries.map(delivery => {
		const bodyId = bodies.get(delivery.body)?.id ?? null;
		return {...changedOf(delivery), body: bodyId === null ? delivery.body : null, body_id: bodyId};
	});
	return sql<DueEndpoint[]>`
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
			from jsonb_to_recordset(${sql.json([...bodies.values()])}) as b (id text, text text)
			join (select body_id, count(*) as uses from given group by body_id) u on u.body_id = b.id
		), unfinished as (
			insert into deliveries (${columns(sql)}, next_attempt_at)
			select ${columns(sql)}, next_attempt_at from given where is_unfinished
		), finished as (
			insert into finished_deliveries (${columns(sql)})
			select ${columns(sql)} from given where not is_unfinished
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

/** Adds or replaces deliveries. A replaced one keeps its body and its place. */
export async function putDeliveries(
	sql: Transaction,
	deliveries: readonly Delivery[],
	nodeId: string,
): Promise<{readonly waiting: readonly DueEndpoint[]; readonly isChange: boolean}> {
	const ids = deliveries.map(({id}) => id);
	const known = await sql<{id: string}[]>`
		select id from deliveries where id = any(${ids}::text[])
		union all select id from finished_deliveries where id = any(${ids}::text[])
	`;
	const there = new Set(known.map(({id}) => id));
	const waiting = await addDeliveries(
		sql,
		deliveries.filter(({id}) => !there.has(id)),
		nodeId,
	);
	const changed = deliveries.filter(({id}) => there.has(id));
	if (changed.length > 0) {
		await replace(sql, changed);
	}

	return {waiting, isChange: changed.length > 0};
}

/** Moves all to the unfinished ones, updates them, and moves the finished ones back to the log. */
async function replace(sql: Transaction, deliveries: readonly Delivery[]): Promise<void> {
	await reopenDeliveries(sql, deliveries.map(idOf));
	await sql`
		with given as materialized (${changes(sql, deliveries)}), before as materialized (
			select d.id, d.user_id, d.weight, d.next_attempt_at is not null or d.status = 'pending' as was_unfinished
			from deliveries d join given using (id)
		), changed as (
			update deliveries d
			set response = g.response, status = g.status, next_attempt_at = g.next_attempt_at, row = g.row
			from given g where d.id = g.id
			returning d.id, d.next_attempt_at is not null or d.status = 'pending' as is_unfinished
		)
		insert into delivery_counts (user_id, unfinished, finished)
		select
			user_id, sum(weight * (is_unfinished::int - was_unfinished::int)),
			sum(weight * (was_unfinished::int - is_unfinished::int))
		from before join changed using (id) group by user_id
	`;
	const ids = deliveries.filter(({nextAttemptAt}) => nextAttemptAt !== null).map(({id}) => id);
	await sql`delete from leases where delivery_id = any(${ids}::text[]) and endpoint_id is null`;
	await shelveFinished(sql);
}

type FinishedDelivery = {readonly id: string} & DueEndpoint;

/**
 * Stores the outcomes of deliveries that this node has leased and ends the leases. Finished ones move to the log. Resolves to
 * the stored ones; for the others the lease or the delivery is gone.
 *
 *
 * Rows are found one by one by id (`lateral`), then by position (`ctid = any`). Otherwise the planner, which underestimates
 * the number of deleted rows, reads a whole table or index.
 */
export async function finishDeliveries(
	database: Database,
	deliveries: readonly Delivery[],
	nodeId: string,
): Promise<readonly FinishedDelivery[]> {
	return database.run(
		sql => sql<FinishedDelivery[]>`
			with given as materialized (${changes(sql, deliveries)}), held as (
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
				insert into finished_deliveries (${columns(sql)})
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

/** Rows with the changed columns of deliveries. */
function changes(sql: AnySql, deliveries: readonly Delivery[]) {
	return sql`
		select * from jsonb_to_recordset(${sql.json(deliveries.map(changedOf))})
			as g (id text, response int, status text, next_attempt_at text, row jsonb)
	`;
}

/** Moves finished deliveries out of the log, to be changed or sent again. */
export async function reopenDeliveries(sql: Transaction, ids: readonly string[]): Promise<void> {
	await sql`
		with gone as (delete from finished_deliveries where id = any(${ids}::text[]) returning *)
		insert into deliveries (${columns(sql)}) select ${columns(sql)} from gone
	`;
}

/** Moves finished deliveries without a lease back to the log. */
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
		insert into finished_deliveries (${columns(sql)}) select ${columns(sql)} from gone
	`;
}

/** Bodies of at least this many characters are stored once if several deliveries have them. */
const sharedFrom = 1024;

/** A delivery without its body. */
type DeliveryFields = Omit<Delivery, 'body'>;

export type StoredDelivery = {readonly row: DeliveryFields; readonly body: string};
export type StoredDue = StoredDelivery & {readonly endpoint: Endpoint};

export function wholeDelivery({row, body}: StoredDelivery): Delivery {
	return {...row, body: textOfColumn(body)};
}

/** The columns of a delivery that can change: all except the body. */
function changedOf({body, ...row}: Delivery) {
	const {id, endpointId, status, event, nextAttemptAt, createdAt, responseBody} = row;
	return {
		id,
		endpoint_id: endpointId,
		weight: weightOfBody(body.length),
		response: responseBody?.length ?? 0,
		status,
		event,
		next_attempt_at: nextAttemptAt,
		created_at: createdAt,
		row,
	};
}
