import type {Transaction} from './connection.js';

/** Locks the sources of messages that are about to go, in an order that all keep. `messages`: a query for their `source_id`. */
export function lockSources(sql: Transaction, messages: ReturnType<Transaction>) {
	return sql`select from sources where id in (${messages}) order by id for update`;
}

/**
 * What goes with messages, as parts of a `with` behind `gone`, which has their `id` and `source_id`: their bounces, and the
 * sources that no message has any more. The sources are to be locked.
 */
export function deleteWithMessages(sql: Transaction) {
	return sql`
		gone_bounces as (delete from bounces using gone where message_id = gone.id),
		unused as (select source_id, count(*)::int as uses from gone group by source_id),
		less_used as (
			update sources set uses = sources.uses - unused.uses from unused
			where sources.id = unused.source_id and sources.uses > unused.uses
		),
		gone_sources as (
			delete from sources using unused
			where sources.id = unused.source_id and sources.uses <= unused.uses returning sources.id
		),
		gone_chunks as (delete from source_chunks using gone_sources where source_id = gone_sources.id)
	`;
}
