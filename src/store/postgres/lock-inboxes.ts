import type {Keeping} from '../../domain/mail/inbox.js';
import type {AnySql, Transaction} from './connection.js';

/** An inbox that stays as it is until the transaction ends, with what it says itself of what it keeps. */
export type LockedInbox = Keeping & {
	readonly id: string;
	readonly ownerId: string;
	readonly teamId: string | null;
	readonly messages: number;
	readonly lastPlace: number;
	readonly clearedPlace: number;
	readonly latestAt: string | null;
	/** When it is to be looked at, since its oldest message may be too old by then. */
	readonly evictAt: string | null;
};

/** Locks those of these inboxes that are there, in an order that all keep. */
export async function lockInboxes(sql: Transaction, ids: readonly string[]): Promise<readonly LockedInbox[]> {
	return sql<LockedInbox[]>`
		select
			id, owner_id as "ownerId", team_id as "teamId", messages, last_place as "lastPlace",
			cleared_place as "clearedPlace", latest_at as "latestAt", evict_at as "evictAt", ${ownKeeping(sql)}
		from inboxes where id = any(${ids}) order by id for no key update
	`;
}

/** What an inbox says itself, as columns. */
export function ownKeeping(sql: AnySql) {
	return sql`(row ->> 'keep')::bigint as keep, (row ->> 'keepForMs')::bigint as "keepForMs"`;
}
