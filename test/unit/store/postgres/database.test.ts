import {randomUUID} from 'node:crypto';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {Database} from '../../../../src/store/postgres/session/database.js';
import {Primary} from '../../../../src/store/postgres/session/primary.js';
import type {Transaction} from '../../../../src/store/postgres/session/session.js';
import {readConnectionSettings} from '../../../../src/store/postgres/session/settings.js';
import {askDatabase} from '../../../helpers/postgres-cluster.js';
import {silent} from '../../../helpers/resources.js';
import {hasNoPostgres, testCluster} from '../postgres-fixture.js';

/** State of a transaction when its server is killed. */
const works: Record<string, (sql: Transaction, killed: Promise<void>) => Promise<unknown>> = {
	'at a statement': async sql => sql`select pg_sleep(60)`,
	'between two statements': async (sql, killed) => {
		await killed;
		await sql`select 2`;
	},
	'and ask for more after it': async (sql, killed) => {
		await sql`select pg_sleep(60)`.catch(() => {});
		await killed;
		await sql`select 2`.catch(() => {});
		await sql`select 3`;
	},
	'and fail by themselves after it': async (_, killed) => {
		await killed;
		throw new Error('own');
	},
};

describe.skipIf(hasNoPostgres)('transactions', () => {
	const postgres = testCluster();

	test.each(Object.entries(works))(
		'transactions that lose their server %s fail, and later ones succeed when it is back',
		async (_, work) => {
			const primary = await Primary.find(readConnectionSettings(await postgres.database(), {}), silent);
			const database = new Database(primary);
			onTestFinished(async () => database.close());
			const server = await postgres.cluster();
			let kill = () => {};
			const killed = new Promise<void>(resolve => {
				kill = resolve;
			});
			let begun = 0;
			const outcomes = Array.from({length: 12}, async () =>
				database
					.begin('user', async sql => {
						await sql`select 1`;
						begun++;
						await work(sql, killed);
					})
					.then(
						() => 'done',
						() => 'failed',
					),
			);
			await vi.waitFor(() => expect(begun).toBeGreaterThan(3), 10_000);
			await server.stop('SIGQUIT');
			await vi.waitFor(() => expect(primary.isAvailable).toBe(false), 10_000);
			kill();
			expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['failed']));
			await server.start();
			await vi.waitFor(() => expect(primary.isAvailable).toBe(true), 10_000);
			const found = Array.from({length: 30}, async () =>
				database.begin('user', async sql => (await sql`select 1 as one`)[0]?.['one']),
			);
			expect(new Set(await Promise.all(found))).toEqual(new Set([1]));
		},
	);

	test('a transaction waits for a free session until its timeout', async () => {
		const primary = await Primary.find(readConnectionSettings(await postgres.database(), {}), silent);
		const database = new Database(primary, {run: 30_000, begin: 500});
		onTestFinished(async () => database.close());
		let free = () => {};
		const freed = new Promise<void>(resolve => {
			free = resolve;
		});
		let begun = 0;
		const hold = async (user: string) =>
			database.begin(user, async sql => {
				await sql`select 1`;
				begun++;
				await freed;
			});
		const holding = Array.from({length: 8}, async (_, user) => hold(`user ${user}`));
		await vi.waitFor(() => expect(begun).toBe(8), 10_000);
		await expect(hold('late user')).rejects.toMatchObject({code: 'unavailable'});
		expect(await database.run(async sql => sql`select 2 as two`)).toEqual([{two: 2}]);
		const waiting = hold('late user');
		free();
		await Promise.all([...holding, waiting]);
		expect(begun).toBe(9);
	});

	test('a user with many transactions does not delay the transaction of another user', async () => {
		const database = new Database(await Primary.find(readConnectionSettings(await postgres.database(), {}), silent));
		onTestFinished(async () => database.close());
		let left = 400;
		const busy = Array.from({length: left}, async () =>
			database.inTurn('busy user', [randomUUID()], async sql => {
				await sql`select pg_sleep(0.02)`;
				left--;
			}),
		);
		await vi.waitFor(() => expect(left).toBeLessThan(390), 10_000);
		await database.begin('other user', async sql => sql`select 1`);
		expect(left).toBeGreaterThan(300);
		await Promise.all(busy);
	});

	test('transactions continue when a read-only database becomes writable again', async () => {
		const url = await postgres.database();
		const primary = await Primary.find(readConnectionSettings(url, {}), silent);
		const database = new Database(primary);
		onTestFinished(async () => database.close());
		const name = new URL(url).pathname.slice(1);
		const administer = async (statement: string) =>
			askDatabase((await postgres.cluster()).url('postgres'), `alter database ${name} ${statement}`);
		const write = async () => database.begin('user', async sql => sql`create temporary table if not exists t (a int)`);
		await administer('set default_transaction_read_only = on');
		const readOnly = await Primary.find(readConnectionSettings(url, {}), silent).catch((error: unknown) =>
			String(error),
		);
		expect(readOnly).toContain('is read-only (default_transaction_read_only is on).');
		const found = async () => database.begin('user', async sql => sql`create table t (a int)`).catch(({code}) => code);
		expect(await found()).toBe('unavailable');
		await vi.waitFor(() => expect(primary.isAvailable).toBe(false), 10_000);
		await administer('reset default_transaction_read_only');
		await vi.waitFor(() => expect(primary.isAvailable).toBe(true), 10_000);
		await write();
	});
});
