import type {PendingQuery} from 'postgres';
import type {DumpRows, DumpTable} from '../../dump-store.js';
import type {Sql} from '../connection.js';

type Found<T extends DumpTable> = {readonly row: DumpRows[T]};

type Select<T extends DumpTable> = (sql: Sql, skip: number) => PendingQuery<Found<T>[]>;

const byPlace =
	<T extends DumpTable>(table: string): Select<T> =>
	(sql, skip) =>
		sql<Found<T>[]>`select row from ${sql(table)} order by place offset ${skip}`;

const byId =
	<T extends DumpTable>(table: string): Select<T> =>
	(sql, skip) =>
		sql<Found<T>[]>`select row from ${sql(table)} order by id offset ${skip}`;

/** How each table is read, in an order that stays as it is. */
export const selects: {readonly [T in DumpTable]: Select<T>} = {
	users: byPlace('users'),
	keys: byPlace('keys'),
	teams: byPlace('teams'),
	invites: byId('invites'),
	inboxes: byPlace('inboxes'),
	// A message is there when it came behind what was cleared.
	messages: (sql, skip) => sql<Found<'messages'>[]>`
		select m.row from messages m join inboxes i on i.id = m.inbox_id and m.place > i.cleared_place
		order by m.inbox_id, m.place offset ${skip}
	`,
	bounces: byId('bounces'),
	endpoints: byPlace('endpoints'),
	deliveries: (sql, skip) => sql<Found<'deliveries'>[]>`
		select d.row || jsonb_build_object('body', coalesce(d.body, b.text)) as row
		from (
			select row, body, body_id, place from deliveries
			union all select row, body, body_id, place from finished_deliveries
		) d left join bodies b on b.id = d.body_id
		order by d.place offset ${skip}
	`,
	faults: byPlace('faults'),
	faultCounts: (sql, skip) => sql<Found<'faultCounts'>[]>`
		select jsonb_build_object(
			'id', case key when '' then fault_id else fault_id || ' ' || substr(key, 2) end,
			'faultId', fault_id, 'seen', seen, 'acted', acted, 'passedAt', passed_at
		) as row
		from fault_counts order by place offset ${skip}
	`,
	faultHits: byPlace('fault_hits'),
};

type Count = {readonly count: number};

const all = (table: string) => (sql: Sql) => sql<Count[]>`select count(*) from ${sql(table)}`;

export const counts: {readonly [T in DumpTable]: (sql: Sql) => PendingQuery<Count[]>} = {
	users: all('users'),
	keys: all('keys'),
	teams: all('teams'),
	invites: all('invites'),
	inboxes: all('inboxes'),
	messages: sql => sql<Count[]>`select coalesce(sum(messages), 0)::bigint as count from inboxes`,
	bounces: all('bounces'),
	endpoints: all('endpoints'),
	deliveries: sql => sql<Count[]>`
		select (select count(*) from deliveries) + (select count(*) from finished_deliveries) as count
	`,
	faults: all('faults'),
	faultCounts: all('fault_counts'),
	faultHits: all('fault_hits'),
};
