import type {Inbox} from '../../domain/mail/inbox.js';
import type {Transaction} from './connection.js';
import type {Begin} from './database.js';
import {removeMessages} from './removals.js';

/** Deletes those of these inboxes that are there, and resolves to them. Their mail is out of sight, for `removeMailOf`. */
export async function deleteInboxes(sql: Transaction, ids: readonly string[]): Promise<readonly Inbox[]> {
	// First the owners, then the inboxes, each in the order of their ids, as everybody does.
	await sql`
		select from users where id in (select owner_id from inboxes where id = any(${ids})) order by id for no key update
	`;
	const deleted = await sql<{row: Inbox}[]>`
		with gone as (
			delete from inboxes where id in (select id from inboxes where id = any(${ids}) order by id for update)
			returning id, owner_id, last_place, messages, row
		), removal as (
			insert into removals (inbox_id, owner_id, up_to) select id, owner_id, last_place from gone where messages > 0
			on conflict (inbox_id) do update set up_to = excluded.up_to
		), fewer as (
			update users set inboxes = users.inboxes - owned.inboxes
			from (select owner_id, count(*)::int as inboxes from gone group by owner_id) as owned
			where users.id = owned.owner_id
		)
		select row from gone
	`;
	return deleted.map(({row}) => row);
}

/** Takes the mail of inboxes away that were deleted, bit by bit. */
export async function removeMailOf(begin: Begin, inboxes: readonly Inbox[], signal?: AbortSignal): Promise<void> {
	const ids = inboxes.map(({id}) => id);
	const left = await begin(
		async sql => sql<{id: string}[]>`select inbox_id as id from removals where inbox_id = any(${ids})`,
	);
	for (const {id} of left) {
		await removeMessages(begin, id, signal);
	}
}
