import type {CheckUsage, Store, Usage} from '../../port.js';
import {assertUserExists} from '../../rules/accounts.js';
import {unfolded} from '../deliveries/retention.js';
import {batched} from '../session/batched.js';
import type {Database} from '../session/database.js';
import type {AnySql, Transaction} from '../session/session.js';

const noUsage: Usage = {inboxes: 0, endpoints: 0, teams: 0, messages: 0, bytes: 0, deliveries: 0};

/** Above this many users totals are cached for a second: summing them per mail is too slow. */
const maxUncachedUsers = 1000;

export function createUsage(database: Database): Store['usage'] {
	let cached: {readonly usage: Usage; readonly until: number} | undefined;
	const total = batched<undefined, Usage>(async keys => {
		if (cached === undefined || cached.until <= performance.now()) {
			const [{users, ...usage} = {users: 0, ...noUsage}] = await database.run(sumUsage);
			cached = {usage, until: users > maxUncachedUsers ? performance.now() + 1000 : 0};
		}

		const {usage} = cached;
		return keys.map(() => usage);
	});
	const ofUser = batched<string, Usage>(async ids => {
		const rows = await database.run(
			sql => sql<({id: string} & Usage)[]>`
				select
					id, inboxes, endpoints, teams, messages, bytes,
					(deliveries + ${unfolded(sql, 'unfinished')})::bigint as deliveries
				from users where id = any(${ids})
			`,
		);
		const usageOf = new Map(rows.map(({id, ...usage}) => [id, usage]));
		return ids.map(id => usageOf.get(id) ?? noUsage);
	});
	return async userId => (userId === undefined ? total(undefined) : ofUser(userId));
}

/** Size of all tables and indexes. */
export async function bytesInDatabase(database: Database): Promise<number> {
	const [{bytes} = {bytes: 0}] = await database.run(
		sql => sql<{bytes: number}[]>`
			select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint as bytes from pg_class
			where relnamespace = current_schema()::regnamespace and relkind = 'r'
		`,
	);
	return bytes;
}

/**
 * Locks the row of a user until the transaction ends, and adds new rows to its counters. Throws `not_found` if the user does
 * not exist, or what `check` throws. Resolves to the resulting usage.
 */
export async function countForUser(
	sql: Transaction,
	id: string,
	added: Partial<Pick<Usage, 'inboxes' | 'endpoints' | 'teams'>>,
	check?: CheckUsage,
): Promise<Usage> {
	const {inboxes = 0, endpoints = 0, teams = 0} = added;
	const [usage] = await sql<Usage[]>`
		update users
		set inboxes = inboxes + ${inboxes}, endpoints = endpoints + ${endpoints}, teams = teams + ${teams}
		where id = ${id} and email is not null
		returning inboxes, endpoints, teams, messages, bytes, deliveries
	`;
	assertUserExists(usage);
	if (check) {
		const [{users, ...all} = {users: 0, ...noUsage}] = await sumUsage(sql);
		check(id, usage, all);
	}

	return usage;
}

/** Sums the usage of all users. Deliveries of the last second may be missing. */
function sumUsage(sql: AnySql) {
	return sql<({users: number} & Usage)[]>`
		select
			count(*) as users,
			coalesce(sum(inboxes), 0)::bigint as inboxes,
			coalesce(sum(endpoints), 0)::bigint as endpoints,
			coalesce(sum(teams), 0)::bigint as teams,
			coalesce(sum(messages), 0)::bigint as messages,
			coalesce(sum(bytes), 0)::bigint as bytes,
			coalesce(sum(deliveries), 0)::bigint as deliveries
		from users
	`;
}
