import {StoreError} from '../../lib/errors.js';
import type {Sql} from './connection.js';
import type {Database} from './database.js';
import {locks} from './locks.js';
import {deadRows} from './migrations/dead-rows.js';
import {first} from './migrations/first.js';
import {keeping} from './migrations/keeping.js';
import type {Migration} from './migrations/migration.js';
import {sending} from './migrations/sending.js';
import {webSessions} from './migrations/web-sessions.js';

/** All of them, the oldest first. */
export const migrations: readonly Migration[] = [first, webSessions, deadRows, sending, keeping];

/**
 * Brings the schema `tinbox` to the version that this node knows, all or nothing; the first one makes it. Resolves to the id of
 * the store. Throws `StoreError` when a newer node made it such that this one cannot use it.
 */
export async function migrate(database: Pick<Database, 'begin'>, known = migrations): Promise<string> {
	const current = await database.begin(stored);
	return current && isUsable(current, known)
		? current.id
		: database.begin(async transaction => {
				await transaction`select pg_advisory_xact_lock(${locks.migration})`;
				const found = await stored(transaction);
				if (found && isUsable(found, known)) {
					return found.id;
				}

				return bringUp(transaction, known, found?.version ?? 0);
			});
}

type Stored = {readonly id: string; readonly version: number; readonly oldestReader: number};

/** What is there; undefined before the first migration. */
async function stored(sql: Pick<Sql, 'unsafe'>): Promise<Stored | undefined> {
	// Not by `to_regclass`, which remembers that there was none while a session waits for another to make it.
	const [table] = await sql.unsafe(`select from pg_tables where schemaname = 'tinbox' and tablename = 'store'`);
	return table === undefined
		? undefined
		: (await sql.unsafe<Stored[]>('select id, version, oldest_reader as "oldestReader" from tinbox.store'))[0];
}

function isUsable({version, oldestReader}: Stored, known: readonly Migration[]): boolean {
	const newest = known.at(-1)?.version ?? 0;
	if (oldestReader > newest) {
		throw new StoreError(
			`A newer tinbox upgraded the database (schema ${version}; this version supports ${newest}). Update this node.`,
		);
	}

	return version >= newest;
}

async function bringUp(sql: Pick<Sql, 'unsafe'>, known: readonly Migration[], version: number): Promise<string> {
	await sql.unsafe(`
		create schema if not exists tinbox;
		create table if not exists tinbox.store (
			is_only boolean primary key default true check (is_only),
			id text not null default gen_random_uuid(),
			version int not null,
			oldest_reader int not null
		)
	`);
	for (const {statements} of known.filter(migration => migration.version > version)) {
		for (const statement of statements) {
			await sql.unsafe(statement);
		}
	}

	const newest = known.at(-1);
	const [row] = await sql.unsafe<{id: string}[]>(
		`insert into tinbox.store (version, oldest_reader) values ($1, $2)
		on conflict (is_only) do update set version = excluded.version, oldest_reader = excluded.oldest_reader
		returning id`,
		[newest?.version ?? 0, newest?.oldestReader ?? 0],
	);
	return row?.id ?? '';
}
