import type {Inbox} from '../../domain/mail/inbox.js';
import type {Log} from '../../lib/log.js';
import {removeDeliveries} from './deliveries/retention.js';
import {type Begin, background, type Database, runPeriodically} from './session/database.js';
import type {Fragment, Transaction} from './session/session.js';

/**
 * Owners of other rows that belong to a user: their table, which is also the name of the user's counter, and the column with
 * the user.
 */
const kinds = {
	team: {table: 'teams', owner: 'owner_id'},
	endpoint: {table: 'endpoints', owner: 'user_id'},
} as const;

type Kind = keyof typeof kinds;

type PendingDeletion = {readonly id: string; readonly kind: Kind | 'user'};

/** Rows per transaction, so that it stays short. */
const rowsPerTransaction = 50;

/**
 * Deletes a user, team or endpoint: `hide` removes it for readers and adds it to `owner_deletions`; then its data is deleted in
 * batches. `by` is the user who causes this. `changed` is called in between. Resolves to false if it did not exist.
 */
export async function deleteOwner(
	database: Database,
	{id, by = background}: {readonly id: string; readonly by: string | undefined},
	hide: (sql: Transaction) => Promise<boolean>,
	changed = () => {},
): Promise<boolean> {
	return database.inTurn(by, [id], hide, async begin => {
		changed();
		await finishDeletion(begin, id);
	});
}

/** Removes a team or an endpoint for readers. Resolves to false if it does not exist. */
export async function hideOwner(sql: Transaction, kind: Kind, id: string): Promise<boolean> {
	const {table, owner} = kinds[kind];
	const [found] = await sql<{ownerId: string}[]>`select ${sql(owner)} as "ownerId" from ${sql(table)} where id = ${id}`;
	if (!found) {
		return false;
	}

	await sql`select from users where id = ${found.ownerId} for no key update`;
	const count = await hideWhere(sql, kind, sql`id = ${id}`);
	await sql`update users set ${sql(table)} = ${sql(table)} - ${count} where id = ${found.ownerId}`;
	return count > 0;
}

/** Removes all teams or endpoints of a user for readers. The row of the user must be locked. */
export async function hideAllOf(sql: Transaction, kind: Kind, userId: string): Promise<void> {
	await hideWhere(sql, kind, sql`${sql(kinds[kind].owner)} = ${userId}`);
}

async function hideWhere(sql: Transaction, kind: Kind, where: Fragment): Promise<number> {
	const {table, owner} = kinds[kind];
	const hidden = await sql`
		with gone as (delete from ${sql(table)} where ${where} returning id, ${sql(owner)} as user_id)
		insert into owner_deletions (id, kind, user_id) select id, ${kind}, user_id from gone
	`;
	return hidden.count;
}

/**
 * Deletes the data of a hidden user (also of the user's teams and endpoints), team or endpoint in batches. Several nodes may
 * run it for the same id: each waits for rows that another one is deleting. Stops between two batches when the signal aborts.
 */
async function finishDeletion(begin: Begin, id: string, signal?: AbortSignal): Promise<void> {
	const pending = await begin(
		async sql => sql<PendingDeletion[]>`
			select id, kind from owner_deletions
			where id = ${id} or user_id = (select id from owner_deletions where id = ${id} and kind = 'user')
			order by kind = 'user'
		`,
	);
	// A user may have very many endpoints with few deliveries each.
	const endpoints = pending.filter(({kind}) => kind === 'endpoint').map(deletion => deletion.id);
	if (endpoints.length > 0) {
		await repeatUntilDone(
			async () => (await removeDeliveries(begin, endpoints)) && endDeletion(begin, endpoints),
			signal,
		);
	}

	for (const deletion of pending) {
		if (deletion.kind === 'team') {
			await repeatUntilDone(
				async () => (await unlinkInboxes(begin, deletion.id)) && endDeletion(begin, [deletion.id]),
				signal,
			);
		} else if (deletion.kind === 'user') {
			await repeatUntilDone(async () => removeUser(begin, deletion.id, signal), signal);
		}
	}
}

/** Repeats a step until it resolves to true. */
async function repeatUntilDone(step: () => Promise<boolean>, signal?: AbortSignal): Promise<void> {
	while (!signal?.aborted && !(await step())) {}
}

/** Takes inboxes out of a deleted team; their owners keep them. */
async function unlinkInboxes(begin: Begin, teamId: string): Promise<boolean> {
	return begin(async sql => {
		const unlinked = await sql`
			update inboxes set team_id = null, row = row || '{"teamId": null}'
			where id in (select id from inboxes where team_id = ${teamId} order by id limit ${rowsPerTransaction} for no key update)
		`;
		return unlinked.count < rowsPerTransaction;
	});
}

async function removeUser(begin: Begin, id: string, signal?: AbortSignal): Promise<boolean> {
	const {inboxes, isDone} = await begin(async sql => {
		const owned = await sql<
			{id: string}[]
		>`select id from inboxes where owner_id = ${id} order by id limit ${rowsPerTransaction}`;
		const ids = owned.map(inbox => inbox.id);
		return {inboxes: await deleteInboxes(sql, ids), isDone: ids.length === 0};
	});
	await removeMailOf(begin, inboxes, signal);
	return (
		isDone &&
		begin(async sql => {
			await sql`delete from users where id = ${id}`;
			await sql`delete from owner_deletions where id = ${id}`;
			return true;
		})
	);
}

async function endDeletion(begin: Begin, ids: readonly string[]): Promise<true> {
	await begin(async sql => sql`delete from owner_deletions where id = any(${ids}::text[])`);
	return true;
}

/** Deletes inboxes and resolves to those that existed. Their messages are hidden; `removeMailOf` deletes them. */
export async function deleteInboxes(sql: Transaction, ids: readonly string[]): Promise<readonly Inbox[]> {
	// Locks are taken in one order everywhere: users, then inboxes, each by id.
	await sql`
		select from users where id in (select owner_id from inboxes where id = any(${ids})) order by id for no key update
	`;
	const deleted = await sql<{row: Inbox}[]>`
		with gone as (
			delete from inboxes where id in (select id from inboxes where id = any(${ids}) order by id for update)
			returning id, owner_id, last_place, messages, row
		), removal as (
			insert into message_deletions (inbox_id, owner_id, up_to) select id, owner_id, last_place from gone where messages > 0
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

/** Deletes the messages of deleted inboxes in batches. */
export async function removeMailOf(begin: Begin, inboxes: readonly Inbox[], signal?: AbortSignal): Promise<void> {
	const ids = inboxes.map(({id}) => id);
	const left = await begin(
		async sql => sql<{id: string}[]>`select inbox_id as id from message_deletions where inbox_id = any(${ids})`,
	);
	for (const {id} of left) {
		await removeMessages(begin, id, signal);
	}
}

/** Messages deleted per transaction, so that it stays short. */
const messagesPerTransaction = 1000;

type Batch = {
	/** True if no message was left at the time. */
	readonly isDone: boolean;
	/** Messages up to this place are deleted. */
	readonly upTo: number;
};

/**
 * Deletes the hidden messages of a deleted or cleared inbox in batches. Whoever hides messages records the last place in
 * `message_deletions` in the same transaction. Hidden messages count for the owner until they are deleted.
 */
export async function removeMessages(begin: Begin, inboxId: string, signal?: AbortSignal): Promise<void> {
	let batch: Batch = {isDone: false, upTo: 0};
	while (!batch.isDone && !signal?.aborted) {
		const behind = batch.upTo;
		batch = await begin(async sql => deleteBatch(sql, inboxId, behind));
	}
}

/** Deletes one batch. Nodes that delete messages of the same inbox take turns. */
async function deleteBatch(sql: Transaction, inboxId: string, behind: number): Promise<Batch> {
	await sql`
		select from users where id = (select owner_id from message_deletions where inbox_id = ${inboxId}) for no key update
	`;
	const [removal] = await sql<{upTo: number; ownerId: string}[]>`
		select up_to as "upTo", owner_id as "ownerId" from message_deletions where inbox_id = ${inboxId} for update
	`;
	if (!removal) {
		return {isDone: true, upTo: behind};
	}

	const places = await sql<{place: number}[]>`
		select place from messages where inbox_id = ${inboxId} and place > ${behind} and place <= ${removal.upTo}
		order by place limit ${messagesPerTransaction}
	`;
	const isDone = places.length < messagesPerTransaction;
	const upTo = isDone ? removal.upTo : (places.at(-1)?.place ?? behind);
	const batch = sql`inbox_id = ${inboxId} and place > ${behind} and place <= ${upTo}`;
	await lockSources(sql, sql`select source_id from messages where ${batch}`);
	await sql`
		with gone as (
			delete from messages where ${batch} returning id, source_id, weight, (row->>'size')::bigint as size
		), counted as (select sum(weight) as messages, sum(size) as bytes from gone), ${deleteWithMessages(sql)}
		update users set messages = users.messages - counted.messages, bytes = users.bytes - counted.bytes
		from counted where users.id = ${removal.ownerId} and counted.messages is not null
	`;
	if (isDone) {
		await sql`delete from message_deletions where inbox_id = ${inboxId}`;
	}

	return {isDone, upTo};
}

/**
 * Locks the sources of messages before their deletion, ordered by id to avoid deadlocks. `messages` selects their
 * `source_id`.
 */
export function lockSources(sql: Transaction, messages: Fragment) {
	return sql`select from sources where id in (${messages}) order by id for update`;
}

/**
 * Parts of a `with` clause that follow `gone`, the deleted messages (`id`, `source_id`): delete their bounces, and the
 * sources that no other message uses. The sources must be locked.
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

/** Interval of the sweeps. */
const sweepEveryMs = 30_000;

/** Age after which an unfinished upload of a large mail is deleted. */
const abandonedAfter = '1 day';

/**
 * Starts to delete periodically what stopped nodes left behind: hidden rows and unfinished uploads. The returned function stops
 * it and resolves when it has ended.
 */
export function startSweep(database: Database, log: Log): () => Promise<void> {
	return runPeriodically(
		async signal => sweep(signal, database),
		sweepEveryMs,
		error => log.warn({err: error}, 'Removing deleted data failed; retrying'),
	);
}

async function sweep(signal: AbortSignal, database: Database): Promise<void> {
	const deletions = await database.run(
		sql => sql<{id: string}[]>`select id from owner_deletions order by kind = 'user', since`,
	);
	for (const {id} of deletions) {
		await database.whole(background, async begin => finishDeletion(begin, id, signal));
	}

	const left = await database.run(sql => sql<{inboxId: string}[]>`select inbox_id as "inboxId" from message_deletions`);
	for (const {inboxId} of left) {
		await database.whole(background, async begin => removeMessages(begin, inboxId, signal));
	}

	await database.run(
		sql => sql`
			with gone as (delete from sources where staged_at < now() - ${abandonedAfter}::interval returning id)
			delete from source_chunks using gone where source_id = gone.id
		`,
	);
}
