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

/** A program that does nothing until it is ended, in a world without any tinbox. */
async function program() {
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
	return {env, pid: child.pid ?? 0, end, start, left: async () => readdir(env['TMPDIR'] ?? '')};
}

describe('a daemon that runs while another process does', () => {
	test('is one for all who name the process, ends with it however that ends, and leaves nothing', async () => {
		const {env, end, start, left} = await program();
		const said = await Promise.all(['first', 'second'].map(async () => start('--format', 'env')));
		expect(new Set(said.map(({stdout}) => stdout)).size).toBe(1);
		const variables = Object.fromEntries(
			[...(said[0]?.stdout ?? '').matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
		);
		expect(await runCli({...env, ...variables}, ['inbox', 'create'])).toMatchObject({
			exitCode: 0,
			stdout: expect.stringMatching(/@tinbox\.test\n$/),
		});
		expect(await runCli(env, ['daemon', 'status'])).toMatchObject({exitCode: 3});
		expect(await left()).toHaveLength(1);
		await end('SIGKILL');
		await vi.waitFor(async () => expect(await left()).toEqual([]), {timeout: 30_000});
	});

	test('takes settings as any other, and offers TLS only when it is told to', async () => {
		const {start} = await program();
		const {stdout} = await start('--domain', 'shop.test', '--tls', 'offer', '--json');
		expect(JSON.parse(stdout)).toMatchObject({domain: 'shop.test', smtps: {port: expect.any(Number)}});
		expect(await start('--domain', 'other.test')).toMatchObject({
			exitCode: 1,
			stderr: expect.stringContaining('without --domain other.test.'),
		});
	});

	test('is stopped before, as any other', async () => {
		const {start, left} = await program();
		const {pid} = JSON.parse((await start('--json')).stdout);
		process.kill(pid, 'SIGTERM');
		await vi.waitFor(() => expect(processBirth(pid)).toBeUndefined(), {timeout: 15_000});
		expect(await left()).toEqual([]);
	});

	test('leaves nothing when it cannot start, and says why', async () => {
		const {start, left} = await program();
		const taken = createServer().listen(0, '127.0.0.1');
		onTestFinished(() => void taken.close());
		await once(taken, 'listening');
		const {port} = taken.address() as AddressInfo;
		expect(await start('--http-port', String(port))).toMatchObject({
			exitCode: 1,
			stderr: expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`),
		});
		expect(await left()).toEqual([]);
	});

	test('leaves nothing, either, when a command comes to make its key after it has ended', async () => {
		const {env, pid, end, left} = await program();
		vi.stubEnv('TMPDIR', env['TMPDIR']);
		onTestFinished(() => void vi.unstubAllEnvs());
		const started = withDaemonWhile(pid, createContext(process), {}, async (state, paths) => {
			await end('SIGKILL');
			await vi.waitFor(async () => expect(await left()).toEqual([]), {timeout: 30_000});
			await makeCredentials(state, paths);
		});
		await expect(started).rejects.toThrow(`Process ${pid} has exited, and its tinbox daemon was stopped.`);
		expect(await left()).toEqual([]);
	});

	test('removes what is left of others that were killed themselves', async () => {
		const {env, start, left} = await program();
		for (const name of [path.basename(privateHome(1, 'before')), 'tinbox-removed-halfway']) {
			await mkdir(path.join(env['TMPDIR'] ?? '', name, 'state'), {recursive: true});
		}

		await start();
		expect(await left()).toHaveLength(1);
	});

	test('is not started for what is no process', async () => {
		const {start, end} = await program();
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
