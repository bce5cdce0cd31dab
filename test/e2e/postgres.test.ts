import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {describe, expect, test, vi} from 'vitest';
import {cliTest, ownEnv, runCli} from '../helpers/cli.js';
import {tempDir} from '../helpers/temp-dir.js';
import {startRelay} from '../unit/store/postgres/relay.js';
import {hasNoPostgres, testCluster} from '../unit/store/postgres-fixture.js';

const withPassword = (url: string) => url.replace('postgres@', 'postgres:secret@');

describe.skipIf(hasNoPostgres)('a daemon on PostgreSQL', () => {
	const postgres = testCluster();

	cliTest(
		'stores mail in the database, shares it with other nodes, and never logs the password',
		async ({home, env, cli}) => {
			const url = await postgres.database();
			const started = await cli('daemon', 'start', '--json', '--store', withPassword(url));
			expect(started).toMatchObject({exitCode: 0, stderr: ''});
			expect(JSON.parse(started.stdout)).toMatchObject({store: url, data_dir: path.join(home, 'data')});
			for (const file of ['daemon.json', 'daemon.log']) {
				expect(await readFile(path.join(home, 'state', file), 'utf8')).not.toContain('secret@');
			}

			const again = await cli('daemon', 'start', '--store', withPassword(url));
			expect(again).toMatchObject({exitCode: 0, stderr: 'The daemon is already running.\n'});
			const address = (await cli('inbox', 'create', '--name', 'signup')).stdout.trim();

			const other = ownEnv(await tempDir());
			const keyFile = path.join(home, 'data', 'store-key');
			const node = async (...args: readonly string[]) => runCli({...other, TINBOX_STORE: url}, args);
			expect(await node('daemon', 'start')).toMatchObject({
				exitCode: 1,
				stderr: expect.stringMatching(
					/^The secrets in this database are encrypted, and .*store-key does not contain their key\. Copy/,
				),
			});
			expect(await node('daemon', 'start', '--store-key-file', keyFile)).toMatchObject({exitCode: 0, stderr: ''});
			expect(await node('send', address, '--subject', 'Across')).toMatchObject({exitCode: 0});
			expect((await cli('messages', 'wait', 'signup', '--field', 'subject')).stdout).toBe('Across\n');
			expect((await node('daemon', 'stop')).exitCode).toBe(0);

			expect((await cli('daemon', 'restart')).exitCode).toBe(0);
			expect((await cli('messages', 'list', 'signup')).stdout).toContain('Across');
			expect((await runCli(env, ['doctor'])).stdout).toContain('store\tok\tresponds\n');
		},
	);

	cliTest('reconnects, and continues open waits, after the database server was killed and restarted', async ({cli}) => {
		const server = await postgres.cluster();
		await cli('daemon', 'start', '--store', await postgres.database());
		await cli('inbox', 'create', '--name', 'signup');
		const {url} = JSON.parse((await cli('daemon', 'status', '--json')).stdout);
		const status = async (path: string) => {
			const answer = await fetch(url + path);
			return [answer.status, ((await answer.json()) as {status: string | number}).status];
		};
		const waiting = cli('messages', 'wait', 'signup', '--field', 'subject', '--timeout', '50s');
		const waits = async () => JSON.parse((await cli('daemon', 'status', '--nodes', '--json')).stdout).nodes[0].waits;
		await vi.waitFor(async () => expect(await waits()).toBe(1), 20_000);
		await server.stop('SIGQUIT');
		await vi.waitFor(async () => expect(await status('/health')).toEqual([200, 'degraded']), 10_000);
		expect(await status('/ready')).toEqual([503, 503]);
		expect(await cli('inbox', 'list')).toMatchObject({
			exitCode: 1,
			stderr: 'The database is unavailable. Try again.\n',
		});
		expect((await cli('doctor')).stdout).toContain('store\tfailed\tThe daemon cannot reach its database.\n');
		await server.start();
		await vi.waitFor(async () => expect(await status('/ready')).toEqual([200, 'ready']), 10_000);
		expect(await status('/health')).toEqual([200, 'ok']);
		await cli('send', 'signup', '--subject', 'After all');
		expect(await waiting).toMatchObject({exitCode: 0, stdout: 'After all\n'});
		const logged = (await cli('daemon', 'logs')).stdout;
		expect(logged.match(/Database unavailable/g)).toHaveLength(1);
		expect(logged.match(/Database available again/g)).toHaveLength(1);
	});

	test.each(['lock table secrets', 'listen', 'advisory_xact_lock', 'copy_mark'])(
		'exits with an error if the database disconnects during the start at "%s"',
		async word => {
			const relay = await startRelay(await postgres.database());
			relay.cutAllAt(word);
			const home = await tempDir();
			expect(await runCli(ownEnv(home), ['daemon', 'run', '--store', relay.url])).toMatchObject({
				exitCode: 1,
				stderr: expect.stringContaining(
					'The database became unavailable while this node started. Start the node again.\n',
				),
			});
		},
	);

	cliTest('rejects an invalid database URL and a missing database', async ({cli}) => {
		expect(await cli('daemon', 'start', '--store', 'mysql://ann:secret@db')).toMatchObject({
			exitCode: 2,
			stderr: expect.stringMatching(/^--store must be the URL of a PostgreSQL database [^\n]*\n$/),
		});
		const url = (await postgres.cluster()).url('nothing');
		expect(await cli('daemon', 'start', '--store', withPassword(url))).toMatchObject({
			exitCode: 1,
			stderr: expect.stringMatching(
				/^There is no database "nothing" at 127\.0\.0\.1:\d+\. Create it: createdb nothing\n$/,
			),
		});
		expect(await cli('daemon', 'status')).toMatchObject({exitCode: 3});
	});
});
