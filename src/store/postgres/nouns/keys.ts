import type {ApiKey} from '../../../domain/accounts/user.js';
import {AppError} from '../../../domain/errors.js';
import type {KeyStore, RateStore} from '../../port.js';
import {batched} from '../session/batched.js';
import type {Database} from '../session/database.js';
import {countForUser} from './usage.js';

type Row = {readonly row: ApiKey};

export function postgresKeys(database: Database): KeyStore {
	const byHash = batched<string, ApiKey | undefined>(async hashes => {
		const rows = await database.run(sql => sql<Row[]>`select row from keys where hash = any(${hashes})`);
		const keyOf = new Map(rows.map(({row}) => [row.hash, row]));
		return hashes.map(hash => keyOf.get(hash));
	});
	return {
		create: async (key, limit) =>
			database.inTurn([key.userId], async sql => {
				await countForUser(sql, key.userId, {});
				const [keys] = await sql<{count: number}[]>`select count(*) from keys where user_id = ${key.userId}`;
				if (keys && keys.count >= limit) {
					throw new AppError('plan_limit', `The user has ${limit} API keys, the maximum. Revoke one first.`);
				}

				await sql`delete from keys where id = ${key.id}`;
				await sql`
					insert into keys (id, user_id, hash, row)
					values (${key.id}, ${key.userId}, ${key.hash}, ${sql.json(key)})
				`;
			}),
		byHash,
		list: async userId => {
			const rows = await database.run(
				sql => sql<Row[]>`select row from keys where user_id = ${userId} order by place desc`,
			);
			return rows.map(({row}) => row);
		},
		delete: async (userId, id) =>
			database.inTurn([userId], async sql => {
				const deleted = await sql`delete from keys where id = ${id} and user_id = ${userId}`;
				return deleted.count > 0;
			}),
		touch: async uses => {
			// In one order everywhere, so that no two nodes wait for each other.
			for (const id of [...uses.keys()].sort()) {
				const lastUsedAt = uses.get(id) ?? null;
				await database.run(
					sql => sql`
						update keys set row = row || ${sql.json({lastUsedAt})}
						where id = ${id} and coalesce(row ->> 'lastUsedAt', '') < ${lastUsedAt}
					`,
				);
			}
		},
	};
}

export function postgresRates(database: Database): RateStore {
	return {
		take: async (name, at, {count, windowMs}) =>
			database.inTurn([`rate ${name}`], async sql => {
				const now = Date.parse(at);
				const [row] = await sql<{taken: number[]}[]>`
					insert into rates (name, taken) values (${name}, '{}')
					on conflict (name) do update set taken = rates.taken
					returning taken
				`;
				const recent = (row?.taken ?? []).filter(time => time > now - windowMs);
				const blocking = recent.at(-count);
				if (blocking !== undefined) {
					return blocking + windowMs - now;
				}

				await sql`update rates set taken = ${[...recent, now]} where name = ${name}`;
				return 0;
			}),
	};
}
