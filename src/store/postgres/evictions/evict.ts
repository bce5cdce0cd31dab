import type {Transaction} from '../connection.js';

/** Messages of an inbox that one transaction evicts, unless it brings more, so that it is short. */
export const messagesAtOnce = 500;

/** When an inbox is to be looked at as soon as can be: before any time there is. */
export const atOnce = '0';

/** Which messages of an inbox are asked for: so many, the oldest behind a place. */
type AskedOldest = {readonly id: string; readonly behind: number; readonly most: number};

export type OldMessage = {
	readonly inboxId: string;
	readonly place: number;
	readonly id: string;
	readonly latestAt: string;
};

/** The oldest first. */
export async function oldestMessages(sql: Transaction, asked: readonly AskedOldest[]): Promise<readonly OldMessage[]> {
	return sql<OldMessage[]>`
		select asked.id as "inboxId", found.place, found.id, found.latest_at as "latestAt"
		from json_to_recordset(${sql.typed(asked as never, 114)}) as asked (id text, behind bigint, most int)
		cross join lateral (
			select place, id, latest_at from messages
			where inbox_id = asked.id and place > asked.behind order by place limit asked.most
		) as found
		order by found.place
	`;
}

export type Eviction = {
	readonly id: string;
	/** The place of the last one that goes, or that behind which all stand by now. */
	readonly upTo: number;
	readonly count: number;
	/** When the inbox is to be looked at next; null for never. */
	readonly nextAt: string | null;
};

/** Puts the oldest messages of inboxes, which are locked with their owners, out of sight, for `removeMessages`. */
export async function evict(sql: Transaction, evictions: readonly Eviction[]): Promise<void> {
	await sql`
		with evicted as (
			update inboxes set
				cleared_place = given."upTo", messages = messages - given.count,
				evicted = evicted + given.count, evict_at = given."nextAt"
			from json_to_recordset(${sql.typed(evictions as never, 114)})
				as given (id text, "upTo" bigint, count int, "nextAt" text)
			where inboxes.id = given.id returning inboxes.id, owner_id, cleared_place, given.count
		)
		insert into removals (inbox_id, owner_id, up_to)
		select id, owner_id, cleared_place from evicted where count > 0
		on conflict (inbox_id) do update set up_to = excluded.up_to
	`;
}
