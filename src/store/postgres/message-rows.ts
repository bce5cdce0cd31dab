import {offsetOf, type Page} from '../../contract/constants.js';
import type {Message} from '../../domain/mail/message.js';
import type {InboxScope, MessageRange} from '../port.js';
import type {Sql} from './connection.js';

/** What is asked of an inbox: messages behind a place, within the range. */
export type Asked = {readonly inboxId: string; readonly range: MessageRange; readonly seen?: number | undefined};

export type PlacedMessage = {readonly place: number; readonly row: Message};

/** A page of what is asked for, newest first. */
export async function messagePage(sql: Sql, asked: Asked, page: Page): Promise<readonly PlacedMessage[]> {
	const wanted = sql`${asWanted(sql, asked)} and place > ${border(sql, asked)}`;
	const first = page.page === 1 ? sql`` : sql`and place <= ${firstPlace(sql, asked, wanted, offsetOf(page))}`;
	return sql<PlacedMessage[]>`
		select place, row from messages where ${wanted} ${first} order by place desc limit ${page.limit}
	`;
}

/**
 * The place of the newest message but so many: told by their number where none is missing in between, as mostly; else counted by the
 * places alone, which are in an index.
 */
function firstPlace(sql: Sql, {inboxId, range}: Asked, wanted: ReturnType<typeof asWanted>, skipped: number) {
	const counted = sql`(select place from messages where ${wanted} order by place desc limit 1 offset ${skipped})`;
	return range.before === undefined && range.since === undefined
		? sql`(
			select case when messages = last_place - cleared_place then last_place - ${skipped}::bigint else ${counted} end
			from inboxes where id = ${inboxId}
		)`
		: counted;
}

/** The next so many between two places, newest first. */
export async function messagesBetween(
	sql: Sql,
	asked: Asked,
	{behind, before, limit}: {readonly behind: number; readonly before: number; readonly limit: number},
): Promise<readonly PlacedMessage[]> {
	return sql<PlacedMessage[]>`
		select place, row from messages where ${asWanted(sql, asked)} and place > ${behind} and place < ${before}
		order by place desc limit ${limit}
	`;
}

/** How many of the newest messages of all users are looked at first. */
const maxNear = 4000;

/**
 * The newest of all inboxes in a scope. Mostly they are among the newest of all messages, which are found by their ids in
 * few pages of the table; if not, all that is in the scope is looked through.
 */
export async function allMailPage(
	sql: Sql,
	{userId, teamIds}: InboxScope,
	now: string,
	{after, before, since}: MessageRange,
	limit: number,
): Promise<ReadonlyArray<Pick<PlacedMessage, 'row'>>> {
	const inRange = sql`
		${before === undefined ? sql`true` : sql`m.id < ${before}`} ${after === undefined ? sql`` : sql`and m.id > ${after}`}
	`;
	const newest = sql`(select * from messages m where ${inRange} order by m.id desc limit ${maxNear})`;
	const late = since === undefined ? sql`true` : sql`(m.row->>'receivedAt') collate "C" >= ${since}`;
	const owned = sql`i.owner_id = ${userId}`;
	return sql<Pick<PlacedMessage, 'row'>[]>`
		with visible as materialized (
			select i.id from inboxes i join users u on u.id = i.owner_id and u.email is not null
			where ${teamIds.length === 0 ? owned : sql`(${owned} or i.team_id = any(${teamIds}))`}
				and (i.expires_at is null or i.expires_at > ${now})
				and i.messages > 0 ${since === undefined ? sql`` : sql`and i.latest_at >= ${since}`}
		), near as materialized (
			-- No join, which would look at all of them before the first is found.
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

/** The place behind which all stands that is asked for. */
export async function borderOf(sql: Sql, asked: Asked): Promise<number> {
	const [found] = await sql<[{place: number}]>`select ${border(sql, asked)} as place`;
	return found.place;
}

/** The place of the newest message of an inbox, or of that one; 0 when there is no inbox. */
export async function lastPlaceOf(sql: Sql, inboxId: string, id?: string): Promise<number> {
	const place = id === undefined ? sql`last_place` : sql`least(last_place, ${placeOf(sql, inboxId, id)})`;
	const [found] = await sql<{place: number}[]>`select ${place} as place from inboxes where id = ${inboxId}`;
	return found?.place ?? 0;
}

function asWanted(sql: Sql, {inboxId, range: {before, since}}: Asked) {
	return sql`
		inbox_id = ${inboxId} and place > (select cleared_place from inboxes where id = ${inboxId})
		${before === undefined ? sql`` : sql`and place < ${placeOf(sql, inboxId, before, 1)}`}
		${since === undefined ? sql`` : sql`and (row->>'receivedAt') collate "C" >= ${since}`}
	`;
}

function border(sql: Sql, {inboxId, range: {after, since}, seen = 0}: Asked) {
	const behindAfter = after === undefined ? sql`0` : placeOf(sql, inboxId, after);
	const behindSince = since === undefined ? sql`0` : lastPlace(sql, inboxId, sql`found.latest_at < ${since}`);
	return sql`greatest(${seen}::bigint, ${behindAfter}, ${behindSince})`;
}

/** The place of a message; of one that is gone, so many behind the last one before it. */
function placeOf(sql: Sql, inboxId: string, id: string, behind = 0) {
	return sql`coalesce(
		(select place from messages where id = ${id} and inbox_id = ${inboxId}),
		${lastPlace(sql, inboxId, sql`found.id <= ${id}`)} + ${behind}::bigint
	)`;
}

/**
 * The last place where the condition holds, when it holds for all before: ids grow with places, as far as a message that is
 * gone is concerned. It is looked for by halves, so that it takes as many steps as the number of places has bits.
 */
function lastPlace(sql: Sql, inboxId: string, condition: ReturnType<Sql>) {
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
