import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, onTestFinished, test} from 'vitest';
import {Transactions} from '../../../../src/store/postgres/session/database.js';
import {Primary} from '../../../../src/store/postgres/session/primary.js';
import {readConnectionSettings} from '../../../../src/store/postgres/session/settings.js';
import {askDatabase} from '../../../helpers/postgres-cluster.js';
import {recordingLog} from '../json-fixture.js';
import {hasNoPostgres, testCluster} from '../postgres-fixture.js';

const endSessions = `
	select pg_terminate_backend(pid) from pg_stat_activity
	where application_name <> 'killer' and datname = current_database() and pid <> pg_backend_pid()
`;

describe.skipIf(hasNoPostgres)('transactions', () => {
	const postgres = testCluster();

	const open = async () => {
		const url = await postgres.database();
		await askDatabase(url, 'create table public.halves (tag text, half int)');
		const primary = await Primary.find(readConnectionSettings(url, {}), recordingLog().log);
		const transactions = new Transactions(options => primary.session(options), 5);
		onTestFinished(async () => {
			await transactions.close();
			await primary.close();
		});
		/** Writes two halves with several statements at once. */
		const write = async (tag: string) =>
			transactions.run('user', async sql => {
				await sql`insert into public.halves values (${tag}, ${1})`;
				await Promise.all([sql`select ${1}::int`, sql`insert into public.halves values (${tag}, ${2})`]);
			});
		return {url, transactions, write};
	};

	test('a transaction whose session ends is complete or absent, and other sessions replace it', async () => {
		const {url, write} = await open();
		const done: string[] = [];
		let isOver = false;
		const writing = Array.from({length: 20}, async (_, writer) => {
			for (let number = 0; !isOver; number++) {
				const tag = `${writer} ${number}`;
				await write(tag).then(
					() => done.push(tag),
					async () => sleep(5),
				);
			}
		});
		for (let round = 0; round < 15; round++) {
			const before = done.length;
			while (done.length < before + 20) {
				await sleep(5);
			}

			await askDatabase(url, endSessions);
		}

		isOver = true;
		await Promise.all(writing);
		const tags = await askDatabase(url, 'select tag, count(*)::int from public.halves group by tag');
		expect(tags.filter(({count}) => count !== 2)).toEqual([]);
		const stored = new Set(tags.map(({tag}) => tag));
		expect(done.filter(tag => !stored.has(tag))).toEqual([]);
		await Promise.all(Array.from({length: 10}, async (_, number) => write(`after ${number}`)));
	});

	test('a failed transaction leaves nothing, and its session is reused', async () => {
		const {url, transactions, write} = await open();
		const failing = transactions.run('user', async sql => {
			await sql`insert into public.halves values ('failed', ${1})`;
			throw new Error('no');
		});
		await expect(failing).rejects.toThrow('no');
		const unheard = transactions.run('user', async sql => {
			await sql`insert into public.halves values ('failed', ${1})`;
			await sql`select ${1} / 0`.catch(() => {});
		});
		await expect(unheard).rejects.toThrow('rolled back');
		await write('whole');
		expect(await askDatabase(url, 'select tag from public.halves')).toHaveLength(2);
	});
});
