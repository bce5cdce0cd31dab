import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, readdir} from 'node:fs/promises';
import {type AddressInfo, createServer} from 'node:net';
import path from 'node:path';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {makeCredentials} from '../../src/cli/connect/credentials.js';
import {withDaemonWhile} from '../../src/cli/control/start.js';
import {createContext} from '../../src/cli/create-context.js';
import {processBirth} from '../../src/lib/io/process-lock.js';
import {privateHome} from '../../src/runtime/paths.js';
import {runCli} from '../helpers/cli.js';
import {tempDir} from '../helpers/temp-dir.js';
import {tinboxOnPath} from '../helpers/tinbox-on-path.js';

/** Starts a process for `--until-exit`, in an environment without a daemon. */
async function startOwner() {
	const home = await tempDir();
	const env = await tinboxOnPath(home, {PATH: process.env['PATH'] ?? '', HOME: home});
	const child = spawn('sleep', ['600'], {stdio: 'ignore'});
	const ended = once(child, 'exit');
	const end = async (signal: NodeJS.Signals) => {
		child.kill(signal);
		await ended;
	};
	onTestFinished(async () => end('SIGKILL'));
	const start = async (...flags: readonly string[]) =>
		runCli(env, ['daemon', 'start', '--until-exit', String(child.pid), ...flags]);
	return {env, pid: child.pid ?? 0, end, start, remaining: async () => readdir(env['TMPDIR'] ?? '')};
}

describe('a daemon started with --until-exit', () => {
	test('is shared by all commands with the same process id, stops when that process is killed, and removes its files', async () => {
		const {env, end, start, remaining} = await startOwner();
		const results = await Promise.all(['first', 'second'].map(async () => start('--format', 'env')));
		expect(new Set(results.map(({stdout}) => stdout)).size).toBe(1);
		const variables = Object.fromEntries(
			[...(results[0]?.stdout ?? '').matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
		);
		expect(await runCli({...env, ...variables}, ['inbox', 'create'])).toMatchObject({
			exitCode: 0,
			stdout: expect.stringMatching(/@tinbox\.test\n$/),
		});
		expect(await runCli(env, ['daemon', 'status'])).toMatchObject({exitCode: 3});
		expect(await remaining()).toHaveLength(1);
		await end('SIGKILL');
		await vi.waitFor(async () => expect(await remaining()).toEqual([]), {timeout: 30_000});
	});

	test('accepts the settings of daemon start, including --tls', async () => {
		const {start} = await startOwner();
		const {stdout} = await start('--domain', 'shop.test', '--tls', 'offer', '--json');
		expect(JSON.parse(stdout)).toMatchObject({domain: 'shop.test', smtps: {port: expect.any(Number)}});
		expect(await start('--domain', 'other.test')).toMatchObject({
			exitCode: 1,
			stderr: expect.stringContaining('without --domain other.test.'),
		});
	});

	test('removes its files when it is stopped before that process exits', async () => {
		const {start, remaining} = await startOwner();
		const {pid} = JSON.parse((await start('--json')).stdout);
		process.kill(pid, 'SIGTERM');
		await vi.waitFor(() => expect(processBirth(pid)).toBeUndefined(), {timeout: 15_000});
		expect(await remaining()).toEqual([]);
	});

	test('removes its files and reports the reason when it cannot start', async () => {
		const {start, remaining} = await startOwner();
		const server = createServer().listen(0, '127.0.0.1');
		onTestFinished(() => void server.close());
		await once(server, 'listening');
		const {port} = server.address() as AddressInfo;
		expect(await start('--http-port', String(port))).toMatchObject({
			exitCode: 1,
			stderr: expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`),
		});
		expect(await remaining()).toEqual([]);
	});

	test('leaves no files when credentials are created after it stopped', async () => {
		const {env, pid, end, remaining} = await startOwner();
		vi.stubEnv('TMPDIR', env['TMPDIR']);
		onTestFinished(() => void vi.unstubAllEnvs());
		const started = withDaemonWhile(pid, createContext(process), {}, async (state, paths) => {
			await end('SIGKILL');
			await vi.waitFor(async () => expect(await remaining()).toEqual([]), {timeout: 30_000});
			await makeCredentials(state, paths);
		});
		await expect(started).rejects.toThrow(`Process ${pid} has exited, and its tinbox daemon was stopped.`);
		expect(await remaining()).toEqual([]);
	});

	test('removes the folders of killed daemons', async () => {
		const {env, start, remaining} = await startOwner();
		for (const name of [path.basename(privateHome(1, 'before')), 'tinbox-removed-halfway']) {
			await mkdir(path.join(env['TMPDIR'] ?? '', name, 'state'), {recursive: true});
		}

		await start();
		expect(await remaining()).toHaveLength(1);
	});

	test('is not started for a process that is not running', async () => {
		const {start, end} = await startOwner();
		await end('SIGTERM');
		expect(await start()).toMatchObject({
			exitCode: 2,
			stderr: expect.stringMatching(/^Process \d+ is not running\.\n/),
		});
		expect(await runCli({}, ['daemon', 'start', '--until-exit', 'me'])).toMatchObject({
			exitCode: 2,
			stderr: expect.stringContaining('--until-exit $$'),
		});
	});
});
