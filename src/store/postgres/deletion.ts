import {setTimeout as sleep} from 'node:timers/promises';
import type {Inbox} from '../../domain/mail/inbox.js';
import type {Log} from '../../lib/log.js';
import {removeDeliveries} from './deliveries/retention.js';
import type {Begin, Database} from './session/database.js';
import type {Transaction} from './session/session.js';

/** What departs and is a user's: its table, by whose name the user counts it, and the column that tells whose it is. */
const owned = {
	team: {table: 'teams', owner: 'owner_id'},
	endpoint: {table: 'endpoints', owner: 'user_id'},
} as const;

type Owned = keyof typeof owned;

type Departure = {readonly id: string; readonly kind: Owned | 'user'};

/** How many rows go in one transaction, so that it is short. */
const some = 50;

/**
 * Deletes what `leave` puts out of sight and into `departures`, unless it is gone already: then that is false. `changed` is called
 * before what belongs to it is taken away.
 */
export async function deleteOwner(
	database: Database,
	id: string,
	leave: (sql: Transaction) => Promise<boolean>,
	changed = () => {},
): Promise<boolean> {
	return database.inTurn([id], leave, async begin => {
		changed();
		await finishDeletion(begin, id);
	});
}

/** Puts a team or an endpoint out of sight; false when that is done already. */
export async function hideOwner(sql: Transaction, kind: Owned, id: string): Promise<boolean> {
	const {table, owner} = owned[kind];
	const [found] = await sql<{ownerId: string}[]>`select ${sql(owner)} as "ownerId" from ${sql(table)} where id = ${id}`;
	if (!found) {
		return false;
	}

	await sql`select from users where id = ${found.ownerId} for no key update`;
	const left = await leaveWhere(sql, kind, sql`id = ${id}`);
	await sql`update users set ${sql(table)} = ${sql(table)} - ${left} where id = ${found.ownerId}`;
	return left > 0;
}

/** The same for all that the user has, whose row is locked. */
export async function hideAllOf(sql: Transaction, kind: Owned, userId: string): Promise<void> {
	await leaveWhere(sql, kind, sql`${sql(owned[kind].owner)} = ${userId}`);
}

async function leaveWhere(sql: Transaction, kind: Owned, where: ReturnType<Transaction>): Promise<number> {
	const {table, owner} = owned[kind];
	const left = await sql`
		with gone as (delete from ${sql(table)} where ${where} returning id, ${sql(owner)} as user_id)
		insert into departures (id, kind, user_id) select id, ${kind}, user_id from gone
	`;
	return left.count;
}

/**
 * Takes away, bit by bit, what belongs to a user (also of teams and endpoints), a team or an endpoint that is out of sight. Several
 * nodes may be at it: none takes for done what another one is about to do. The signal ends it between two bits.
 */
async function finishDeletion(begin: Begin, id: string, signal?: AbortSignal): Promise<void> {
	const departures = await begin(
		async sql => sql<Departure[]>`
			select id, kind from departures
			where id = ${id} or user_id = (select id from departures where id = ${id} and kind = 'user')
			order by kind = 'user'
		`,
	);
	// A user may have very many endpoints, each with few deliveries.
	const endpoints = departures.filter(({kind}) => kind === 'endpoint').map(departure => departure.id);
	if (endpoints.length > 0) {
		await untilOver(async () => (await removeDeliveries(begin, endpoints)) && end(begin, endpoints), signal);
	}

	for (const departure of departures) {
		if (departure.kind === 'team') {
			await untilOver(async () => (await unlinkInboxes(begin, departure.id)) && end(begin, [departure.id]), signal);
		} else if (departure.kind === 'user') {
			await untilOver(async () => removeUser(begin, departure.id, signal), signal);
		}
	}
}

/** Takes steps until one resolves to true, since nothing is left. */
async function untilOver(step: () => Promise<boolean>, signal?: AbortSignal): Promise<void> {
	while (!signal?.aborted && !(await step())) {}
}

/** The inboxes of a team stay with their owners. */
async function unlinkInboxes(begin: Begin, teamId: string): Promise<boolean> {
	return begin(async sql => {
		const unlinked = await sql`
			update inboxes set team_id = null, row = row || '{"teamId": null}'
			where id in (select id from inboxes where team_id = ${teamId} order by id limit ${some} for no key update)
		`;
		return unlinked.count < some;
	});
}

async function removeUser(begin: Begin, id: string, signal?: AbortSignal): Promise<boolean> {
	const {inboxes, isOver} = await begin(async sql => {
		const own = await sql<{id: string}[]>`select id from inboxes where owner_id = ${id} order by id limit ${some}`;
		const ids = own.map(inbox => inbox.id);
		return {inboxes: await deleteInboxes(sql, ids), isOver: ids.length === 0};
	});
	await removeMailOf(begin, inboxes, signal);
	return (
		isOver &&
		begin(async sql => {
			await sql`delete from users where id = ${id}`;
			await sql`delete from departures where id = ${id}`;
			return true;
		})
	);
}

async function end(begin: Begin, ids: readonly string[]): Promise<true> {
	await begin(async sql => sql`delete from departures where id = any(${ids}::text[])`);
	return true;
}

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

/** Messages that one transaction takes away, so that it is short. */
const messagesPerTransaction = 1000;

type Bit = {
	/** Whether nothing is left, as far as is known. */
	readonly isOver: boolean;
	/** What came up to this place is gone. */
	readonly upTo: number;
};

/**
 * Takes away, bit by bit, the messages of an inbox that are out of sight: because it is gone, or was cleared. Whoever puts them
 * out of sight writes down in the same transaction, in `removals`, up to which place; they count for the owner until they are gone.
 */
export async function removeMessages(begin: Begin, inboxId: string, signal?: AbortSignal): Promise<void> {
	let bit: Bit = {isOver: false, upTo: 0};
	while (!bit.isOver && !signal?.aborted) {
		const behind = bit.upTo;
		bit = await begin(async sql => removeBit(sql, inboxId, behind));
	}
}

/** Several nodes may be at it: they take turns. */
async function removeBit(sql: Transaction, inboxId: string, behind: number): Promise<Bit> {
	await sql`
		select from users where id = (select owner_id from removals where inbox_id = ${inboxId}) for no key update
	`;
	const [removal] = await sql<{upTo: number; ownerId: string}[]>`
		select up_to as "upTo", owner_id as "ownerId" from removals where inbox_id = ${inboxId} for update
	`;
	if (!removal) {
		return {isOver: true, upTo: behind};
	}

	const places = await sql<{place: number}[]>`
		select place from messages where inbox_id = ${inboxId} and place > ${behind} and place <= ${removal.upTo}
		order by place limit ${messagesPerTransaction}
	`;
	const isOver = places.length < messagesPerTransaction;
	const upTo = isOver ? removal.upTo : (places.at(-1)?.place ?? behind);
	const bit = sql`inbox_id = ${inboxId} and place > ${behind} and place <= ${upTo}`;
	await lockSources(sql, sql`select source_id from messages where ${bit}`);
	await sql`
		with gone as (
			delete from messages where ${bit} returning id, source_id, weight, (row->>'size')::bigint as size
		), counted as (select sum(weight) as messages, sum(size) as bytes from gone), ${deleteWithMessages(sql)}
		update users set messages = users.messages - counted.messages, bytes = users.bytes - counted.bytes
		from counted where users.id = ${removal.ownerId} and counted.messages is not null
	`;
	if (isOver) {
		await sql`delete from removals where inbox_id = ${inboxId}`;
	}

	return {isOver, upTo};
}

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

/** How often a node looks for what others left behind when they ended. */
const everyMs = 30_000;

/** Large mail that began to come in so long ago is not on its way any more. */
const abandonedAfter = '1 day';

/** Has this node take away what others left, until the result is called: deleted messages, and mail that never came to its end. */
export function startSweep(database: Database, log: Log): () => Promise<void> {
	const ending = new AbortController();
	const sweeping = sweepUntil(ending.signal, database, log);
	return async () => {
		ending.abort();
		await sweeping;
	};
}

async function sweepUntil(signal: AbortSignal, database: Database, log: Log): Promise<void> {
	while (!signal.aborted) {
		await sweep(signal, database).catch(error => {
			log.warn({err: error}, 'Removing deleted data failed; retrying');
		});
		await sleep(everyMs, undefined, {signal, ref: false}).catch(() => {});
	}
}

async function sweep(signal: AbortSignal, database: Database): Promise<void> {
	const leaving = await database.run(
		sql => sql<{id: string}[]>`select id from departures order by kind = 'user', since`,
	);
	for (const {id} of leaving) {
		await database.whole(async begin => finishDeletion(begin, id, signal));
	}

	const left = await database.run(sql => sql<{inboxId: string}[]>`select inbox_id as "inboxId" from removals`);
	for (const {inboxId} of left) {
		await database.whole(async begin => removeMessages(begin, inboxId, signal));
	}

	await database.run(
		sql => sql`
			with gone as (delete from sources where staged_at < now() - ${abandonedAfter}::interval returning id)
			delete from source_chunks using gone where source_id = gone.id
		`,
	);
}
