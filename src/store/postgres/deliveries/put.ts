import type {Delivery} from '../../../domain/webhooks/delivery.js';
import type {Transaction} from '../connection.js';
import {addDeliveries} from './add.js';
import type {Waiting} from './due-endpoints.js';
import {shelveFinished} from './log.js';
import {changedOf} from './rows.js';

/** Adds deliveries, or replaces those that are there: their body and their place stay. Resolves as `addDeliveries` does. */
export async function putDeliveries(
	sql: Transaction,
	deliveries: readonly Delivery[],
	nodeId: string,
): Promise<{readonly waiting: readonly Waiting[]; readonly isChange: boolean}> {
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

/** All are unfinished at first: those that are not go back into the log. */
async function replace(sql: Transaction, deliveries: readonly Delivery[]): Promise<void> {
	const rows = sql.json(deliveries.map(changedOf));
	const given = sql`
		jsonb_to_recordset(${rows}) as g (id text, response int, status text, next_attempt_at text, row jsonb)
	`;
	await sql`
		with given as (select * from ${given}),
		gone as (delete from finished_deliveries f using given g where f.id = g.id returning f.*)
		insert into deliveries (id, endpoint_id, user_id, place, body, body_id, weight, response, status, event, created_at, row)
		select id, endpoint_id, user_id, place, body, body_id, weight, response, status, event, created_at, row from gone
	`;
	await sql`
		with given as (select * from ${given}), before as materialized (
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
