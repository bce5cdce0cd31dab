import type {Page} from '../../contract/page.js';
import {offsetOf} from '../../contract/page.js';
import type {Message} from '../../domain/message.js';
import type {MessageRange} from '../store.js';
import type {Sql} from './connection.js';

/** What is asked of an inbox: messages behind a place, within the range. */
export type Asked = {readonly inboxId: string; readonly range: MessageRange; readonly seen?: number | undefined};

export type PlacedMessage = {readonly place: number; readonly row: Message};

/** A page of what is asked for, newest first. */
export async function messagePage(sql: Sql, asked: Asked, page: Page): Promise<readonly PlacedMessage[]> {
	const wanted = sql`${asWanted(sql, asked)} and place > ${border(sql, asked)}`;
	// Where the page begins is found by the places alone, which are in an index.
	const first =
		page.page === 1
			? sql``
			: sql`and place <= (
				select place from messages where ${wanted} order by place desc limit 1 offset ${offsetOf(page)}
			)`;
	return sql<PlacedMessage[]>`
		select place, row from messages where ${wanted} ${first} order by place desc limit ${page.limit}
	`;
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

/** The place behind which all stands that is asked for. */
export async function borderOf(sql: Sql, asked: Asked): Promise<number> {
	const [found] = await sql<[{place: number}]>`select ${border(sql, asked)} as place`;
	return found.place;
}

function asWanted(sql: Sql, {inboxId, range: {since}}: Asked) {
	return sql`
		inbox_id = ${inboxId} and place > (select cleared_place from inboxes where id = ${inboxId})
		${since === undefined ? sql`` : sql`and (row->>'receivedAt') collate "C" >= ${since}`}
	`;
}

function border(sql: Sql, {inboxId, range: {after, since}, seen = 0}: Asked) {
	const behindAfter =
		after === undefined
			? sql`0`
			: sql`coalesce(
				(select place from messages where id = ${after} and inbox_id = ${inboxId}),
				${lastPlace(sql, inboxId, sql`found.id <= ${after}`)}
			)`;
	const behindSince = since === undefined ? sql`0` : lastPlace(sql, inboxId, sql`found.latest_at < ${since}`);
	return sql`greatest(${seen}::bigint, ${behindAfter}, ${behindSince})`;
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
