import {maxPerEndpoint} from '../../../domain/webhooks/delivery.js';
import type {Sql, Transaction} from '../connection.js';
import type {Waiting, Wish} from './due-endpoints.js';
import type {StoredDelivery, StoredDue} from './rows.js';

/** Who holds deliveries, and how long. */
export type Holder = {
	readonly nodeId: string;
	/** An interval. */
	readonly lease: string;
};

/** Rows of an endpoint that are looked at: some may be held. It is no parameter, for the planner must know that there are few. */
const headLength = `${2 * maxPerEndpoint + 1}`;

/** What was found of an endpoint. */
export type HeadRow = StoredDue & {
	readonly endpointId: string;
	readonly at: string;
	/** Whether nobody held it. */
	readonly isFree: boolean;
	/** Whether it is held now; else there is no more of it here. */
	readonly isTaken: boolean;
	/** As in `Wish`, for the next time. */
	readonly heldFrom: number;
};

/** Of each active endpoint with unfinished deliveries, when the first of them is due. It looks at no more than that. */
export async function firstOfEach(sql: Sql): Promise<readonly Waiting[]> {
	return sql<Waiting[]>`
		with recursive first as (
			(
				select endpoint_id, user_id, next_attempt_at from deliveries
				where next_attempt_at is not null order by endpoint_id, next_attempt_at limit 1
			)
			union all
			select next.* from first cross join lateral (
				select endpoint_id, user_id, next_attempt_at from deliveries
				where next_attempt_at is not null and endpoint_id > first.endpoint_id
				order by endpoint_id, next_attempt_at limit 1
			) next
		)
		select f.endpoint_id as "endpointId", f.user_id as "userId", f.next_attempt_at as at
		from first f join endpoints e on e.id = f.endpoint_id where e.is_active
	`;
}

/**
 * The first deliveries of each endpoint. Those are held from now on that nobody holds and that are due, as far as they are wanted
 * and the endpoint has fewer than it may have. The rows of the endpoints must be locked by an earlier statement.
 */
export async function holdFirst(
	sql: Transaction,
	wanted: readonly Wish[],
	{now, nodeId, lease}: Holder & {readonly now: string},
): Promise<readonly HeadRow[]> {
	const ids = wanted.map(({endpointId}) => endpointId);
	const floors = wanted.map(({floor}) => floor);
	const heldFrom = wanted.map(each => each.heldFrom);
	const most = wanted.map(each => each.most);
	return sql<HeadRow[]>`
		with wanted as materialized (
			select
				w.endpoint_id, w.floor, least(w.most, ${maxPerEndpoint} - held.count) as most,
				floor(extract(epoch from coalesce(held.first, clock_timestamp() + ${lease}::interval)) * 1000)::bigint as held_from
			from unnest(${ids}::text[], ${floors}::text[], ${heldFrom}::bigint[], ${most}::int[])
				as w (endpoint_id, floor, held_from, most)
			cross join lateral (
				select count(*) as count, min(until) as first from leases l
				where l.endpoint_id = w.endpoint_id and l.until > greatest(now(), to_timestamp(w.held_from / 1000.0))
			) held
		), head as materialized (
			select w.endpoint_id, w.most, w.held_from, h.*, row_number() over (
				partition by w.endpoint_id, h.is_free order by h.next_attempt_at, h.id
			) as number
			from wanted w cross join lateral (
				select d.id, d.next_attempt_at, not exists (
					select from leases l where l.delivery_id = d.id and l.until > now()
				) as is_free
				from deliveries d where d.endpoint_id = w.endpoint_id and d.next_attempt_at >= w.floor
				order by d.next_attempt_at, d.id limit ${sql.unsafe(headLength)}
			) h
		), taken as (
			insert into leases (delivery_id, endpoint_id, node, until)
			select id, endpoint_id, ${nodeId}, clock_timestamp() + ${lease}::interval
			from head where is_free and number <= most and next_attempt_at <= ${now}
			on conflict (delivery_id) do update
			set endpoint_id = excluded.endpoint_id, node = excluded.node, until = excluded.until
			where leases.until <= now()
			returning delivery_id
		)
		select
			h.endpoint_id as "endpointId", h.next_attempt_at as at, h.is_free as "isFree", h.held_from - 1000 as "heldFrom",
			d.id is not null as "isTaken", d.row, coalesce(d.body, b.text) as body, e.row as endpoint
		from head h
		left join taken t on t.delivery_id = h.id
		left join deliveries d on d.id = t.delivery_id
		left join bodies b on b.id = d.body_id
		left join endpoints e on e.id = d.endpoint_id
		order by h.endpoint_id, h.next_attempt_at, h.id
	`;
}

/** Holds one that is not in the log, whoever held it. */
export async function holdDelivery(
	sql: Transaction,
	id: string,
	{nodeId, lease}: Holder,
): Promise<StoredDue | undefined> {
	const [held] = await sql<StoredDue[]>`
		with held as (
			insert into leases (delivery_id, endpoint_id, node, until)
			select id, endpoint_id, ${nodeId}, clock_timestamp() + ${lease}::interval from deliveries where id = ${id}
			on conflict (delivery_id) do update
			set endpoint_id = excluded.endpoint_id, node = excluded.node, until = excluded.until
			returning delivery_id
		)
		select d.row, coalesce(d.body, b.text) as body, e.row as endpoint
		from held h join deliveries d on d.id = h.delivery_id join endpoints e on e.id = d.endpoint_id
		left join bodies b on b.id = d.body_id
	`;
	return held;
}

/** Holds pending deliveries of which no attempt is to follow, and that nobody holds. They do not count among those of an endpoint. */
export async function holdInterrupted(
	sql: Transaction,
	most: number,
	{nodeId, lease}: Holder,
): Promise<readonly StoredDelivery[]> {
	return sql<StoredDelivery[]>`
		with free as (
			select d.id from deliveries d
			where d.next_attempt_at is null and d.status = 'pending'
			and not exists (select from leases l where l.delivery_id = d.id and l.until > now())
			limit ${most}
			for update of d skip locked
		), taken as (
			insert into leases (delivery_id, node, until)
			select id, ${nodeId}, now() + ${lease}::interval from free
			on conflict (delivery_id) do update set node = excluded.node, until = excluded.until
			where leases.until <= now()
			returning delivery_id
		)
		select d.row, coalesce(d.body, b.text) as body
		from taken t join deliveries d on d.id = t.delivery_id left join bodies b on b.id = d.body_id
	`;
}
