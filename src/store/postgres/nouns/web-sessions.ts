import {endedSession, type WebSession} from '../../../domain/accounts/user.js';
import {AppError} from '../../../domain/errors.js';
import type {WebSessionStore} from '../../port.js';
import {batched} from '../session/batched.js';
import type {Database} from '../session/database.js';
import type {Transaction} from '../session/session.js';
import {countForUser} from './usage.js';

type Row = {readonly row: WebSession};

/** Sessions that one transaction deletes, so that it is short. */
const perTransaction = 500;

export function postgresWebSessions(database: Database): WebSessionStore {
	const byHash = batched<string, WebSession | undefined>(async hashes => {
		const rows = await database.run(
			sql => sql<Row[]>`select row from web_sessions where hash = any(${hashes}) and not is_ended`,
		);
		const sessionOf = new Map(rows.map(({row}) => [row.hash, row]));
		return hashes.map(hash => sessionOf.get(hash));
	});
	return {
		create: async (session, limit) =>
			database.inTurn([session.userId], async sql => {
				await countForUser(sql, session.userId, {});
				await assertKey(sql, session.keyId);
				const {id, userId, keyId, hash, expiresAt, isEnded} = session;
				const created = await sql`
					insert into web_sessions (id, user_id, key_id, hash, expires_at, is_ended, row)
					values (${id}, ${userId}, ${keyId}, ${hash}, ${expiresAt}, ${isEnded}, ${sql.json(session)})
					on conflict (id) do nothing
				`;
				if (created.count === 0) {
					return false;
				}

				const tooMany = await sql<Row[]>`
					select row from web_sessions where user_id = ${userId} and not is_ended order by place desc offset ${limit}
				`;
				for (const {row} of tooMany) {
					await end(sql, row, session.createdAt);
				}

				return true;
			}),
		byHash,
		list: async userId => {
			const rows = await database.run(
				sql => sql<Row[]>`
					select row from web_sessions where user_id = ${userId} and not is_ended order by place desc
				`,
			);
			return rows.map(({row}) => row);
		},
		end: async (userId, id, at) =>
			database.inTurn([userId], async sql => {
				const [found] = await sql<Row[]>`
					select row from web_sessions where id = ${id} and user_id = ${userId} and not is_ended for update
				`;
				return found !== undefined && end(sql, found.row, at);
			}),
		touch: async uses => {
			// In one order everywhere, so that no two nodes wait for each other.
			for (const id of [...uses.keys()].sort()) {
				const lastUsedAt = uses.get(id) ?? null;
				await database.run(
					sql => sql`
						update web_sessions set row = row || ${sql.json({lastUsedAt})}
						where id = ${id} and coalesce(row ->> 'lastUsedAt', '') < ${lastUsedAt}
					`,
				);
			}
		},
		deleteExpired: async now => {
			const gone = await database.run(
				sql => sql<Row[]>`
					delete from web_sessions where id in (
						select id from web_sessions where expires_at <= ${now} order by expires_at
						limit ${perTransaction} for update skip locked
					)
					returning row
				`,
			);
			return gone.map(({row}) => row);
		},
		nextExpiry: async () => {
			const [next] = await database.run(
				sql => sql<{at: string | null}[]>`select min(expires_at) as at from web_sessions`,
			);
			return next?.at ?? undefined;
		},
	};
}

async function assertKey(sql: Transaction, keyId: string | null): Promise<void> {
	const keys = keyId === null ? undefined : await sql`select from keys where id = ${keyId} for key share`;
	if (keys?.count === 0) {
		throw new AppError('not_found', 'The API key was revoked.');
	}
}

async function end(sql: Transaction, session: WebSession, at: string): Promise<true> {
	const ended = endedSession(session, at);
	await sql`
		update web_sessions set is_ended = true, expires_at = ${ended.expiresAt}, row = row || ${sql.json(ended)}
		where id = ${session.id}
	`;
	return true;
}
