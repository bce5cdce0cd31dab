import {AppError} from '../../../domain/errors.js';
import type {CheckUsage, Store, Usage} from '../../port.js';
import {onTheWay} from '../deliveries/retention.js';
import {batched} from '../session/batched.js';
import type {Database} from '../session/database.js';
import type {AnySql, Transaction} from '../session/session.js';

const nothing: Usage = {inboxes: 0, endpoints: 0, teams: 0, messages: 0, bytes: 0, deliveries: 0};

/** Beyond so many users, what there is in all may be a second old: to add it up takes too long to do it for each mail. */
const fewUsers = 1000;

export function postgresUsage(database: Database): Store['usage'] {
	let recent: {readonly usage: Usage; readonly until: number} | undefined;
	const inAll = batched<undefined, Usage>(async keys => {
		if (recent === undefined || recent.until <= performance.now()) {
			const [{users, ...usage} = {users: 0, ...nothing}] = await database.run(askInAll);
			recent = {usage, until: users > fewUsers ? performance.now() + 1000 : 0};
		}

		const {usage} = recent;
		return keys.map(() => usage);
	});
	const ofUser = batched<string, Usage>(async ids => {
		const rows = await database.run(
			sql => sql<({id: string} & Usage)[]>`
				select
					id, inboxes, endpoints, teams, messages, bytes,
					(deliveries + ${onTheWay(sql, 'unfinished')})::bigint as deliveries
				from users where id = any(${ids})
			`,
		);
		const usageOf = new Map(rows.map(({id, ...usage}) => [id, usage]));
		return ids.map(id => usageOf.get(id) ?? nothing);
	});
	return async userId => (userId === undefined ? inAll(undefined) : ofUser(userId));
}

/** Of all tables and their indexes. */
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
 * Takes the row of the user until the transaction ends, counts there what it makes, and has the check look at what there will be.
 * Throws `not_found` when the user is gone. Resolves to what there will be.
 */
export async function countForUser(
	sql: Transaction,
	id: string,
	made: Partial<Pick<Usage, 'inboxes' | 'endpoints' | 'teams'>>,
	check?: CheckUsage,
): Promise<Usage> {
	const {inboxes = 0, endpoints = 0, teams = 0} = made;
	const [usage] = await sql<Usage[]>`
		update users
		set inboxes = inboxes + ${inboxes}, endpoints = endpoints + ${endpoints}, teams = teams + ${teams}
		where id = ${id} and email is not null
		returning inboxes, endpoints, teams, messages, bytes, deliveries
	`;
	if (!usage) {
		throw new AppError('not_found', 'The user was deleted.');
	}

	if (check) {
		const [{users, ...all} = {users: 0, ...nothing}] = await askInAll(sql);
		check(id, usage, all);
	}

	return usage;
}

/** Deliveries of the last second may not be among them. */
function askInAll(sql: AnySql) {
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
