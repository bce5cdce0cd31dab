import type {Transaction} from './connection.js';
import type {Begin, Database} from './database.js';
import {deleteInboxes, removeMailOf} from './delete-inboxes.js';
import {removeDeliveries} from './deliveries/retention.js';

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
export async function depart(
	database: Database,
	id: string,
	leave: (sql: Transaction) => Promise<boolean>,
	changed = () => {},
): Promise<boolean> {
	return database.inTurn([id], leave, async begin => {
		changed();
		await finishDeparture(begin, id);
	});
}

/** Puts a team or an endpoint out of sight; false when that is done already. */
export async function leaveOwner(sql: Transaction, kind: Owned, id: string): Promise<boolean> {
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
export async function leaveAll(sql: Transaction, kind: Owned, userId: string): Promise<void> {
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
export async function finishDeparture(begin: Begin, id: string, signal?: AbortSignal): Promise<void> {
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
