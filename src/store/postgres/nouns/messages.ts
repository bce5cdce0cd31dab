import {offsetOf, type Page} from '../../../contract/constants.js';
import type {PendingBounce} from '../../../domain/mail/bounce.js';
import {conditionsOf, type SummaryFilter} from '../../../domain/mail/filter.js';
import type {Message} from '../../../domain/mail/message.js';
import {TimeSlicer} from '../../../lib/queue/event-loop.js';
import type {BounceStore, InboxScope, MessageRange, MessageStore, SourceStore} from '../../port.js';
import {scan, scannedAtOnce} from '../../rules/messages.js';
import {deleteWithMessages, lockSources, removeMessages} from '../deletion.js';
import type {EvictionScheduler} from '../evictions.js';
import {GroupCommit, type GroupCommitOptions} from '../mail-commit.js';
import {idOf} from '../rows.js';
import {batched, batchedFind} from '../session/batched.js';
import {type Begin, background, type Database} from '../session/database.js';
import type {Fragment, Row, Sql, Transaction} from '../session/session.js';

export function createMessageStore(
	database: Database,
	sources: Pick<SourceStore, 'discard'>,
	options: GroupCommitOptions & {readonly evictions: EvictionScheduler},
): MessageStore {
	const commit = new GroupCommit(database, options);
	const slices = new TimeSlicer();
	const remove = batched<{readonly id: string; readonly begin: Begin}, boolean>(async query => {
		const ids = query.map(({id}) => id);
		const gone = await query[0]?.begin(async sql => deleteMessages(sql, ids));
		return ids.map(id => gone?.delete(id) ?? false);
	});
	const stateOf = batchedFind(
		async ids =>
			database.run(
				sql => sql<InboxState[]>`
					select id, messages, last_place as "lastPlace", evicted from inboxes where id = any(${ids})
				`,
			),
		idOf,
	);
	return {
		add: async mail => {
			try {
				if (!(await commit.add(mail))) {
					await sources.discard(mail.source);
				}
			} catch (error) {
				await sources.discard(mail.source).catch(() => {});
				throw error;
			}
		},
		get: batchedFind(
			async ids =>
				database.rows<Message>(
					sql => sql`
						select m.row from messages m join inboxes on inboxes.id = m.inbox_id
						where m.id = any(${ids}) and m.place > inboxes.cleared_place
					`,
				),
			idOf,
		),
		list: async (inboxId, range, page) => database.rows(sql => messagePage(sql, {inboxId, range}, page)),
		listAll: async (scope, now, range, limit) => database.rows(sql => allMailPage(sql, scope, now, range, limit)),
		walk: (inboxId, filter, seen) => walk(database, slices, inboxId, filter, seen),
		newest: async inboxId => (await stateOf(inboxId))?.lastPlace ?? 0,
		count: async inboxId => (await stateOf(inboxId))?.messages ?? 0,
		evicted: async inboxId => (await stateOf(inboxId))?.evicted ?? 0,
		delete: async id => database.whole('deleted messages', async begin => remove({id, begin})),
		deleteAll: async (inboxId, upTo, by = background) =>
			database.whole(by, async begin => deleteAll(database, begin, inboxId, upTo)),
		nextEviction: async () => options.evictions.next(),
		evict: async now => options.evictions.evict(now),
	};
}

type InboxState = {
	readonly id: string;
	readonly messages: number;
	readonly lastPlace: number;
	readonly evicted: number;
};

/** Reads matching messages in batches. Comparing many long texts takes turns with other work. */
async function* walk(
	database: Database,
	slices: TimeSlicer,
	inboxId: string,
	filter: SummaryFilter,
	seen?: number,
): AsyncGenerator<readonly Message[]> {
	const conditions = conditionsOf(filter);
	const query = {inboxId, range: filter, seen};
	const [{place: behind, ownerId}] = await database.run(
		sql => sql<[{place: number; ownerId: string | null}]>`
			select ${border(sql, query)} as place, (select owner_id from inboxes where id = ${inboxId}) as "ownerId"
		`,
	);
	let before = Number.MAX_SAFE_INTEGER;
	for (let isLast = false; !isLast; ) {
		const upper = before;
		const rows = await database.run(
			sql => sql<PlacedMessage[]>`
				select place, row from messages
				where ${asWanted(sql, query)} and place > ${behind} and place < ${upper}
				order by place desc limit ${scannedAtOnce}
			`,
		);
		before = rows.at(-1)?.place ?? 0;
		isLast = rows.length < scannedAtOnce;
		const {matches} = await slices.run(ownerId ?? inboxId, scan(rows.map(({row}) => row).values(), conditions));
		yield matches;
	}
}

/** Deletes messages and resolves to the ids of those that existed. */
async function deleteMessages(sql: Transaction, ids: readonly string[]): Promise<Set<string>> {
	const inboxIds = sql`select inbox_id from messages where id = any(${ids})`;
	const [, , , gone] = await Promise.all([
		sql`
			select from users where id in (select owner_id from inboxes where id in (${inboxIds}))
			order by id for no key update
		`,
		sql`select from inboxes where id in (${inboxIds}) order by id for no key update`,
		lockSources(sql, sql`select source_id from messages where id = any(${ids})`),
		sql<{id: string}[]>`
			with gone as (
				delete from messages m using inboxes
				where m.id = any(${ids}) and inboxes.id = m.inbox_id and m.place > inboxes.cleared_place
				returning m.id, m.inbox_id, m.source_id, m.weight, (m.row->>'size')::bigint as size, inboxes.owner_id
			), ${deleteWithMessages(sql)}, counted_inboxes as (
				update inboxes set messages = inboxes.messages - less.messages
				from (select inbox_id, count(*) as messages from gone group by inbox_id) as less
				where inboxes.id = less.inbox_id
			), counted_users as (
				update users set messages = users.messages - less.messages, bytes = users.bytes - less.bytes
				from (select owner_id, sum(weight) as messages, sum(size) as bytes from gone group by owner_id) as less
				where users.id = less.owner_id
			)
			select id from gone
		`,
	]);
	return new Set(gone.map(({id}) => id));
}

/** Hides all messages, then deletes them in batches. */
async function deleteAll(database: Database, begin: Begin, inboxId: string, last?: string): Promise<void> {
	// Read before the lock: messages that come from now on stay.
	const upTo = await database.run(async sql => lastPlaceOf(sql, inboxId, last));
	await begin(async sql => {
		await Promise.all([
			sql`select from users where id = (select owner_id from inboxes where id = ${inboxId}) for no key update`,
			sql`
				with cleared as (
					update inboxes set cleared_place = ${upTo}, messages = (
						select count(*) from messages where inbox_id = ${inboxId} and place > ${upTo}
					)
					where id = ${inboxId} and messages > 0 and cleared_place < ${upTo} returning id, owner_id
				)
				insert into message_deletions (inbox_id, owner_id, up_to) select id, owner_id, ${upTo}::bigint from cleared
				on conflict (inbox_id) do update set up_to = excluded.up_to
			`,
		]);
	});
	await removeMessages(begin, inboxId);
}

/** Messages of an inbox within a range, after the place `seen`. */
type MessageQuery = {readonly inboxId: string; readonly range: MessageRange; readonly seen?: number | undefined};

type PlacedMessage = Row<Message> & {readonly place: number};

/** A page of messages, newest first. */
function messagePage(sql: Sql, query: MessageQuery, page: Page) {
	const wanted = sql`${asWanted(sql, query)} and place > ${border(sql, query)}`;
	const first = page.page === 1 ? sql`` : sql`and place <= ${firstPlace(sql, query, wanted, offsetOf(page))}`;
	return sql`
		select row from messages where ${wanted} ${first} order by place desc limit ${page.limit}
	`;
}

/**
 * Place of the newest message after skipping `skipped`. Computed if no place is missing, which is the usual case; otherwise
 * counted in the index of the places.
 */
function firstPlace(sql: Sql, {inboxId, range}: MessageQuery, wanted: Fragment, skipped: number) {
	const counted = sql`(select place from messages where ${wanted} order by place desc limit 1 offset ${skipped})`;
	return range.before === undefined && range.since === undefined
		? sql`(
			select case when messages = last_place - cleared_place then last_place - ${skipped}::bigint else ${counted} end
			from inboxes where id = ${inboxId}
		)`
		: counted;
}

/** Number of the newest messages of all users that are searched first. */
const maxNewest = 4000;

/**
 * The newest messages of all inboxes in a scope. Usually they are among the newest of all users, which are in few pages of
 * the table. If not, all messages of the scope are searched.
 */
function allMailPage(
	sql: Sql,
	{userId, teamIds}: InboxScope,
	now: string,
	{after, before, since}: MessageRange,
	limit: number,
) {
	const inRange = sql`
		${before === undefined ? sql`true` : sql`m.id < ${before}`} ${after === undefined ? sql`` : sql`and m.id > ${after}`}
	`;
	const newest = sql`(select * from messages m where ${inRange} order by m.id desc limit ${maxNewest})`;
	const late = since === undefined ? sql`true` : sql`(m.row->>'receivedAt') collate "C" >= ${since}`;
	const owned = sql`i.owner_id = ${userId}`;
	return sql`
		with visible as materialized (
			select i.id from inboxes i join users u on u.id = i.owner_id and u.email is not null
			where ${teamIds.length === 0 ? owned : sql`(${owned} or i.team_id = any(${teamIds}))`}
				and (i.expires_at is null or i.expires_at > ${now})
				and i.messages > 0 ${since === undefined ? sql`` : sql`and i.latest_at >= ${since}`}
		), near as materialized (
			-- Not a join, which would read all rows before it returns the first.
			select m.id from ${newest} m
			where (m.inbox_id in (select id from visible)) is true and ${isThere(sql)} and ${late}
			order by m.id desc limit ${limit}
		), far as materialized (
			select m.id from visible v join messages m on m.inbox_id = v.id
			where (select count(*) from near) < ${limit} and m.id < (select min(m.id) from ${newest} m)
				and ${inRange} and ${isThere(sql)} and ${late}
		)
		select row from messages
		where id in (select id from near union all (select id from far order by id desc limit ${limit}))
		order by id desc limit ${limit}
	`;
}

function isThere(sql: Sql) {
	return sql`m.place > (select cleared_place from inboxes where id = m.inbox_id)`;
}

/** Place of the message `id`, by default of the newest one. */
async function lastPlaceOf(sql: Sql, inboxId: string, id?: string): Promise<number> {
	const place = id === undefined ? sql`last_place` : sql`least(last_place, ${placeOf(sql, inboxId, id)})`;
	const [found] = await sql<{place: number}[]>`select ${place} as place from inboxes where id = ${inboxId}`;
	return found?.place ?? 0;
}

function asWanted(sql: Sql, {inboxId, range: {before, since}}: MessageQuery) {
	return sql`
		inbox_id = ${inboxId} and place > (select cleared_place from inboxes where id = ${inboxId})
		${before === undefined ? sql`` : sql`and place < ${placeOf(sql, inboxId, before, 1)}`}
		${since === undefined ? sql`` : sql`and (row->>'receivedAt') collate "C" >= ${since}`}
	`;
}

function border(sql: Sql, {inboxId, range: {after, since}, seen = 0}: MessageQuery) {
	const behindAfter = after === undefined ? sql`0` : placeOf(sql, inboxId, after);
	const behindSince = since === undefined ? sql`0` : lastPlace(sql, inboxId, sql`found.latest_at < ${since}`);
	return sql`greatest(${seen}::bigint, ${behindAfter}, ${behindSince})`;
}

/** Place of a message. For a deleted one, `offset` after its predecessor. */
function placeOf(sql: Sql, inboxId: string, id: string, behind = 0) {
	return sql`coalesce(
		(select place from messages where id = ${id} and inbox_id = ${inboxId}),
		${lastPlace(sql, inboxId, sql`found.id <= ${id}`)} + ${behind}::bigint
	)`;
}

/**
 * The last place at which a monotonic condition holds: ids and latest arrival times grow with the places. Found by binary
 * search.
 */
function lastPlace(sql: Sql, inboxId: string, condition: Fragment) {
	return sql`(
		with recursive search (low, high) as (
			select cleared_place, last_place from inboxes where id = ${inboxId}
			union all
			select
				case when found.place is null or ${condition} then middle.place else low end,
				case when found.place is null or ${condition} then high else found.place - 1 end
			from search
			cross join lateral (select (low + high + 1) / 2 as place) as middle
			left join lateral (
				select place, id, latest_at from messages
				where inbox_id = ${inboxId} and place > low and place <= middle.place order by place desc limit 1
			) as found on true
			where low < high
		)
		select low from search where low >= high
	)`;
}

/** Longer than any attempt to send a bounce. */
const leaseSeconds = 120;

export function createBounceStore(database: Database, nodeId: string): BounceStore {
	return {
		lease: async (now, {all, ofOne}) =>
			database.begin(background, async sql => {
				const rows = await sql<Row<PendingBounce>[]>`
					with due as (
						select id, owner_id, due_at, row_number() over (partition by owner_id order by due_at, id) as number
						from bounces where due_at <= ${now} and (leased_until is null or leased_until < now())
					), taken as (
						select id from bounces
						where id in (select id from due where number <= ${ofOne} order by due_at, id limit ${all})
						for update skip locked
					), leased as (
						update bounces set leased_by = ${nodeId}, leased_until = now() + make_interval(secs => ${leaseSeconds})
						where id in (select id from taken) and (leased_until is null or leased_until < now()) returning id, due_at, row
					)
					select row from leased order by due_at, id
				`;
				return rows.map(({row}) => row);
			}),
		finish: async id => {
			const gone = await database.run(
				sql => sql`delete from bounces where id = ${id} and leased_by = ${nodeId} and leased_until >= now()`,
			);
			return gone.count > 0;
		},
		release: async id => {
			await database.run(
				sql => sql`update bounces set leased_by = null, leased_until = null where id = ${id} and leased_by = ${nodeId}`,
			);
		},
		nextDue: async after => database.time(sql => sql`select min(due_at) as at from bounces where due_at > ${after}`),
	};
}
