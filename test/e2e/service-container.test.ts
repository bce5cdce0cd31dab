import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {expect, onTestFinished} from 'vitest';
import {bin, cliTest, runCli} from '../helpers/cli.js';

const key = 'tbx_live_known-beforehand';

type Env = Record<string, string>;

async function runDaemon(env: Env, args: readonly string[] = []) {
	const child = spawn(process.execPath, [bin, 'daemon', 'run', '--json', ...args], {
		env,
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	const ended = once(child, 'exit');
	const stop = async () => {
		child.kill('SIGTERM');
		await ended;
	};
	onTestFinished(stop);
	const [line] = await once(createInterface(child.stdout), 'line');
	return {pid: child.pid, url: String(JSON.parse(String(line)).url), stop};
}

/** The environment of another machine that knows only the URL and the API key. */
const remoteEnv = (env: Env, url: string, apiKey = key) => ({
	...env,
	TINBOX_HOME: `${env['HOME']}/elsewhere`,
	TINBOX_URL: url,
	TINBOX_API_KEY: apiKey,
});

cliTest.for<[string, readonly string[], Env]>([
	['flags', ['--api-key', key, '--catch-all'], {}],
	['variables', [], {TINBOX_API_KEY: key, TINBOX_CATCH_ALL: '1'}],
])(
	'a daemon with an API key and a catch-all from %s serves all mail to clients with that key',
	async ([, args, variables], {env}) => {
		const {pid, url} = await runDaemon({...env, ...variables}, args);
		const remote = remoteEnv(env, url);
		expect(await runCli(remote, ['send', 'anyone@anywhere.example', '--subject', 'all'])).toMatchObject({exitCode: 0});
		expect((await runCli(remote, ['messages', 'wait', 'catch-all', '--field', 'subject'])).stdout).toBe('all\n');
		expect(await runCli(remoteEnv(env, url, `${key}x`), ['inbox', 'list'])).toMatchObject({exitCode: 4});
		if (process.platform === 'linux') {
			expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(key);
		}
	},
);

cliTest(
	'a background daemon keeps its API key across restarts until another one is set, and never prints it',
	async ({env, cli}) => {
		const url = async () => JSON.parse((await cli('daemon', 'status', '--json')).stdout).url;
		const exitCode = async (apiKey: string) =>
			(await runCli(remoteEnv(env, await url(), apiKey), ['inbox', 'list'])).exitCode;
		const results = [await cli('daemon', 'start', '--api-key', key)];
		expect(await exitCode(key)).toBe(0);
		results.push(await cli('daemon', 'restart'));
		expect(await exitCode(key)).toBe(0);
		results.push(await cli('daemon', 'start', '--api-key', `${key}-2`));
		expect(results.at(-1)?.stderr).toContain('without --api-key <key>.');
		results.push(await cli('daemon', 'restart', '--api-key', `${key}-2`));
		expect([await exitCode(key), await exitCode(`${key}-2`)]).toEqual([4, 0]);
		results.push(await cli('daemon', 'start', '--api-key', 'known'), await cli('daemon', 'logs', '-n', '1000'));
		expect(results.at(-2)).toMatchObject({
			exitCode: 2,
			stderr: expect.stringContaining('--api-key must be "tbx_live_" followed by'),
		});
		expect(results.map(({stdout, stderr}) => stdout + stderr).join('')).not.toContain('known-beforehand');
	},
);

cliTest('daemon start does not use TINBOX_API_KEY as the key of the daemon', async ({env, cli}) => {
	await runCli({...env, TINBOX_API_KEY: key}, ['daemon', 'start']);
	const {url} = JSON.parse((await cli('daemon', 'status', '--json')).stdout);
	expect(await runCli(remoteEnv(env, url), ['inbox', 'list'])).toMatchObject({exitCode: 4});
});

cliTest('tinbox run --catch-all accepts mail to any address', async ({env}) => {
	const script = '"$NODE" "$BIN" send any@where.example && "$NODE" "$BIN" messages wait "*" --field to';
	const inside = {...env, NODE: process.execPath, BIN: bin};
	expect(await runCli(inside, ['run', '--catch-all', 'sh', '-c', script])).toMatchObject({
		exitCode: 0,
		stdout: 'any@where.example\n',
	});
});
