import type {PendingQuery} from 'postgres';
import type {DumpRows, DumpTable} from '../../dump.js';
import type {Sql} from '../connection.js';

/** Which rows are asked for: so many behind that of this key, but for the first `skip`. */
export type DumpPart = {readonly id: string; readonly place: number; readonly skip: number; readonly limit: number};

/** A row, with what of the key tells where it stands. */
export type DumpFound<Row> = {readonly row: Row; readonly id?: string; readonly place?: number};

type Select<T extends DumpTable> = (sql: Sql, part: DumpPart) => PendingQuery<DumpFound<DumpRows[T]>[]>;

const byPlace =
	<T extends DumpTable>(table: string): Select<T> =>
	(sql, {place, skip, limit}) =>
		sql<DumpFound<DumpRows[T]>[]>`
		select row, place from ${sql(table)} where place > ${place} order by place offset ${skip} limit ${limit}
	`;

const byId =
	<T extends DumpTable>(table: string): Select<T> =>
	(sql, {id, skip, limit}) =>
		sql<DumpFound<DumpRows[T]>[]>`
		select row, id from ${sql(table)} where id > ${id} order by id offset ${skip} limit ${limit}
	`;

/** How each table is read, in an order that stays as it is. */
export const selects: {readonly [T in DumpTable]: Select<T>} = {
	users: byPlace('users'),
	keys: byPlace('keys'),
	webSessions: byPlace('web_sessions'),
	teams: byPlace('teams'),
	invites: byId('invites'),
	inboxes: (sql, {place, skip, limit}) => sql<DumpFound<DumpRows['inboxes']>[]>`
		select case evicted when 0 then row else row || jsonb_build_object('evicted', evicted) end as row, place
		from inboxes where place > ${place} order by place offset ${skip} limit ${limit}
	`,
	// A message is there when it came behind what was cleared.
	messages: (sql, {id, place, skip, limit}) => sql<DumpFound<DumpRows['messages']>[]>`
		select m.row, m.inbox_id as id, m.place
		from messages m join inboxes i on i.id = m.inbox_id and m.place > i.cleared_place
		where (m.inbox_id, m.place) > (${id}, ${place})
		order by m.inbox_id, m.place offset ${skip} limit ${limit}
	`,
	bounces: byId('bounces'),
	endpoints: byPlace('endpoints'),
	deliveries: (sql, {id, place, skip, limit}) => {
		const of = (table: string) => sql`
			select row, body, body_id, endpoint_id, place from ${sql(table)}
			where (endpoint_id, place) > (${id}, ${place}) order by endpoint_id, place limit ${skip + limit}
		`;
		return sql<DumpFound<DumpRows['deliveries']>[]>`
			select d.row || jsonb_build_object('body', coalesce(d.body, b.text)) as row, d.endpoint_id as id, d.place
			from ((${of('deliveries')}) union all (${of('finished_deliveries')})) d left join bodies b on b.id = d.body_id
			order by d.endpoint_id, d.place offset ${skip} limit ${limit}
		`;
	},
	faults: byPlace('faults'),
	faultCounts: (sql, {place, skip, limit}) => sql<DumpFound<DumpRows['faultCounts']>[]>`
		select jsonb_build_object(
			'id', case key when '' then fault_id else fault_id || ' ' || substr(key, 2) end,
			'faultId', fault_id, 'seen', seen, 'acted', acted, 'passedAt', passed_at
		) as row, place
		from fault_counts where place > ${place} order by place offset ${skip} limit ${limit}
	`,
	faultHits: byPlace('fault_hits'),
	receipts: byId('receipts'),
	templates: byId('templates'),
};

type Count = {readonly count: number};

const all = (table: string) => (sql: Sql) => sql<Count[]>`select count(*) from ${sql(table)}`;

export const counts: {readonly [T in DumpTable]: (sql: Sql) => PendingQuery<Count[]>} = {
	users: all('users'),
	keys: all('keys'),
	webSessions: all('web_sessions'),
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
	receipts: all('receipts'),
	templates: all('templates'),
};
