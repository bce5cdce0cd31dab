import postgres from 'postgres';
import {describe, expect, onTestFinished, test} from 'vitest';
import {type Migration, migrate, migrations} from '../../../../src/store/postgres/schema.js';
import type {Database} from '../../../../src/store/postgres/session/database.js';
import {assertUsable} from '../../../../src/store/postgres/session/primary.js';
import type {Sql} from '../../../../src/store/postgres/session/session.js';
import {hasNoPostgres, newDatabase, openNode} from '../postgres-fixture.js';
import {someUser} from '../rows.js';

const newest = migrations.at(-1)?.version ?? 0;

/** Migration of the next version: a column that older nodes need not know. */
const next: Migration = {
	version: newest + 1,
	oldestReader: newest,
	sql: "alter table users add column nickname text; update users set nickname = row ->> 'name'",
};

/** Migration that older nodes cannot work with. */
const breaking: Migration = {
	version: newest + 2,
	oldestReader: newest + 2,
	sql: 'alter table users rename column row to record',
};

/** Opens a session with the settings of a node. */
function connected(url: string): Sql {
	const sql = postgres(url, {max: 1, connection: {search_path: 'tinbox'}, onnotice: () => {}});
	onTestFinished(async () => sql.end());
	return sql as unknown as Sql;
}

/** Migrates the schema in a session, without the turns of a node. */
async function migrateIn(sql: Sql, known?: readonly Migration[]): Promise<string> {
	return migrate({begin: async (_, work) => sql.begin(work)} as Pick<Database, 'begin'>, known);
}

describe.skipIf(hasNoPostgres)('the schema', () => {
	test('the schema is created once, however many nodes start together', async () => {
		const url = await newDatabase({isEmpty: true});
		const ids = await Promise.all(Array.from({length: 8}, async () => migrateIn(connected(url))));
		expect(new Set(ids).size).toBe(1);
		const [store] = await connected(url)`select count(*)::int as count, max(version) as version from store`;
		expect(store).toMatchObject({count: 1, version: newest});
	});

	test('the first node of a newer version upgrades the schema while older nodes continue', async () => {
		const url = await newDatabase({isEmpty: true});
		const older = await openNode(url);
		const [before, after] = [someUser({name: 'Ada'}), someUser({name: 'Bob'})];
		await older.users.create(before);
		const known = [...migrations, next];
		const ids = await Promise.all([1, 2, 3].map(async () => migrateIn(connected(url), known)));
		expect(new Set(ids).size).toBe(1);

		await older.users.create(after);
		const started = await openNode(url);
		expect(await started.users.list()).toEqual([after, before]);
		const [store] = await connected(url)`select version, oldest_reader from store`;
		expect(store).toEqual({version: newest + 1, oldest_reader: newest});
		const users = await connected(url)`select nickname from users order by place`;
		expect(users.map(row => row['nickname'])).toEqual(['Ada', null]);
	});

	test('a schema that this version does not support is rejected and unchanged', async () => {
		const url = await newDatabase({isEmpty: true});
		await migrateIn(connected(url), [...migrations, next, breaking]);
		await expect(openNode(url)).rejects.toMatchObject({
			name: 'StoreError',
			message: `A newer tinbox upgraded the database (schema ${newest + 2}; this version supports ${newest}). Update this node.`,
		});
		const [store] = await connected(url)`select version from store`;
		expect(store).toEqual({version: newest + 2});
	});

	test('a schema of an unreleased version is rejected and unchanged', async () => {
		const url = await newDatabase({isEmpty: true});
		const sql = connected(url);
		await migrateIn(sql);
		await sql`update store set version = 5, oldest_reader = 1`;
		await expect(openNode(url)).rejects.toMatchObject({
			name: 'StoreError',
			message:
				'A version of tinbox that was never released created the database (schema 5). Use another database, or delete the schema: drop schema tinbox cascade',
		});
		expect(await sql`select version from store`).toMatchObject([{version: 5}]);
	});

	test('a failed migration changes nothing', async () => {
		const url = await newDatabase({isEmpty: true});
		await migrateIn(connected(url));
		const broken = {...next, sql: `${next.sql}; alter table nothing add column x text`};
		await expect(migrateIn(connected(url), [...migrations, broken])).rejects.toMatchObject({code: '42P01'});
		const [store] = await connected(url)`select version from store`;
		expect(store).toEqual({version: newest});
		const columns = await connected(url)`
			select from information_schema.columns where table_schema = 'tinbox' and column_name = 'nickname'
		`;
		expect(columns).toHaveLength(0);
		expect(await migrateIn(connected(url), [...migrations, next])).toBeTypeOf('string');
	});

	test('a role without permission to create the schema is reported', async () => {
		const url = await newDatabase({isEmpty: true});
		const name = new URL(url).pathname.slice(1);
		const role = `guest_of_${name}`;
		const sql = connected(url);
		await sql.unsafe(`create role ${role} login`);
		onTestFinished(async () => {
			await sql.unsafe(`drop owned by ${role}; drop role ${role}`);
		});
		const guest = url.replace('postgres@', `${role}@`);
		const refusal = openNode(guest);
		await expect(refusal).rejects.toMatchObject({name: 'StoreError'});
		await expect(refusal).rejects.toThrow(
			new RegExp(
				`^The user "${role}" has no permission for the database "${name}" at .* \\(permission denied for database ${name}\\)\\.`,
			),
		);

		// The creator of the schema may have revoked the permission to create others.
		await migrateIn(sql);
		await sql.unsafe(`grant usage on schema tinbox to ${role}; grant select on all tables in schema tinbox to ${role}`);
		await expect(openNode(guest)).rejects.toMatchObject({
			name: 'StoreError',
			message: expect.stringContaining('permission denied for table'),
		});
	});

	test('PostgreSQL before version 13 is rejected', () => {
		const vitals = {timeline: 1, isReadOnly: false, isStandby: false};
		expect(() => assertUsable({...vitals, version: 130_000}, 1)).not.toThrow();
		expect(() => assertUsable({...vitals, version: 120_022}, 1)).toThrow(
			'is PostgreSQL 12.22, but tinbox requires 13 or newer',
		);
	});
});
