import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {StoreError} from '../../../../src/lib/errors.js';
import {Statements} from '../../../../src/store/postgres/session/database.js';
import {Primary} from '../../../../src/store/postgres/session/primary.js';
import {readConnectionSettings} from '../../../../src/store/postgres/session/settings.js';
import {Cluster} from '../../../helpers/postgres-cluster.js';
import {hasNoPostgres} from '../postgres-fixture.js';

/** A server for one test. */
async function newCluster(
	options: ConstructorParameters<typeof Cluster>[0] = {},
	standbyOf?: Cluster,
): Promise<Cluster> {
	const cluster = new Cluster(options);
	onTestFinished(async () => cluster.remove());
	await cluster.create(standbyOf && {standbyOf});
	return cluster;
}

/** Availability of the server as the node sees it, and its log lines. */
async function find(url: string) {
	const logged: string[] = [];
	const note = (_: object, message: string) => void logged.push(message);
	const primary = await Primary.find(readConnectionSettings(url, {}), {info: note, warn: note, error: note});
	onTestFinished(async () => primary.close());
	const statements = new Statements(options => primary.session(options), 2);
	onTestFinished(async () => statements.close());
	const ask = async (text: string) => statements.run(sql => sql.unsafe(text));
	return {primary, ask, logged, answers: async () => ask('select 1 as one').then(([row]) => row?.['one'])};
}

describe.skipIf(hasNoPostgres)('the primary', () => {
	test('a killed server and its return are logged once each', async () => {
		const cluster = await newCluster();
		const {primary, ask, logged, answers} = await find(cluster.url('postgres'));
		expect(await answers()).toBe(1);
		const sleeping = ask('select pg_sleep(60)').catch((error: unknown) => error);
		await vi.waitFor(async () =>
			expect(
				await ask(
					`select from pg_stat_activity where query like '%pg_sleep(60)%' and state = 'active' and pid <> pg_backend_pid()`,
				),
			).toHaveLength(1),
		);
		await cluster.stop('SIGQUIT');
		expect(await sleeping).toBeInstanceOf(Error);
		await vi.waitFor(() => expect(primary.isAvailable).toBe(false));
		await expect(answers()).rejects.toThrow();
		await cluster.start();
		await vi.waitFor(() => expect(primary.isAvailable).toBe(true));
		expect(await answers()).toBe(1);
		expect(logged).toEqual([
			'Database unavailable; answering requests with 503 and mail with 451',
			'Database available again',
		]);
	});

	test('the primary among several servers is used, and the standby after its promotion', async () => {
		const first = await newCluster();
		const second = await newCluster({}, first);
		const url = `postgres://postgres@127.0.0.1:${second.port},127.0.0.1:${first.port}/postgres`;
		const {primary, answers} = await find(url);
		expect(primary.server?.port).toBe(first.port);
		await expect(find(second.url('postgres'))).rejects.toThrow(/is a read-only standby\. Use the primary/);
		await first.stop('SIGQUIT');
		await vi.waitFor(() => expect(primary.isAvailable).toBe(false));
		const other = await import('postgres').then(({default: postgres}) => postgres(second.url('postgres'), {max: 1}));
		await other`select pg_promote()`;
		await other.end();
		await vi.waitFor(() => expect(primary.server?.port).toBe(second.port), 10_000);
		expect(await answers()).toBe(1);
		await first.start();
		await second.stop('SIGQUIT');
		await vi.waitFor(() => expect(primary.isAvailable).toBe(false));
		await expect(answers()).rejects.toThrow();
		await second.start();
		await vi.waitFor(() => expect(primary.server?.port).toBe(second.port));
	});
});

describe.skipIf(hasNoPostgres)('a failed start is explained', () => {
	test('a missing server, a missing database and a wrong address are reported', async () => {
		const cluster = await newCluster();
		const failure = async (url: string) =>
			Primary.find(readConnectionSettings(url, {}), {info() {}, warn() {}, error() {}}).then(
				() => '',
				error => {
					expect(error).toBeInstanceOf(StoreError);
					return error.message;
				},
			);
		expect(await failure(cluster.url('mail'))).toBe(
			`There is no database "mail" at 127.0.0.1:${cluster.port}. Create it: createdb mail`,
		);
		expect(await failure('postgres://nobody.invalid/mail')).toMatch(
			/^Cannot connect to a database at nobody\.invalid:5432 \(.*\)\. Check that/,
		);
		expect(await failure(`${cluster.url('postgres')}?sslmode=require`)).toMatch(
			/does not support TLS, which sslmode requires/,
		);
		expect(await failure(`postgres://postgres@localhost:${cluster.port}/postgres?host=${cluster.folder}`)).toBe('');
		await cluster.stop();
		expect(await failure(cluster.url('mail'))).toMatch(
			/^Cannot connect to a database at 127\.0\.0\.1:\d+ \(.*ECONNREFUSED.*\)/,
		);
	});
});
