import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {closeSync, existsSync, openSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {Readable} from 'node:stream';
import {expect, onTestFinished} from 'vitest';
import {bin, cliTest} from '../helpers/cli.js';

type ForegroundOptions = {readonly args?: readonly string[]; readonly stderr?: 'pipe' | number};

async function runInForeground(env: Record<string, string>, {args = [], stderr = 'pipe'}: ForegroundOptions = {}) {
	const child = spawn(process.execPath, [bin, 'daemon', 'run', ...args], {env, stdio: ['ignore', 'pipe', stderr]});
	const ended = once(child, 'exit');
	onTestFinished(async () => {
		child.kill('SIGKILL');
		await ended;
	});
	const [line] = await once(createInterface(child.stdout ?? Readable.from([])), 'line');
	return {child, line: String(line), ended};
}

cliTest('daemon run prints one line when it is ready, and other commands find the daemon', async ({env, cli}) => {
	const {child, line} = await runInForeground(env, {args: ['--json']});
	expect(JSON.parse(line).pid).toBe(child.pid);
	expect((await cli('daemon', 'status', '--json')).stdout).toBe(`${line}\n`);
	expect(await cli('inbox', 'create')).toMatchObject({exitCode: 0, stderr: ''});
});

cliTest('daemon run exits with code 0 on SIGTERM', async ({env, cli}) => {
	const {child, ended} = await runInForeground(env);
	child.kill('SIGTERM');
	expect(await ended).toEqual([0, null]);
	expect(await cli('daemon', 'status')).toMatchObject({exitCode: 3});
});

cliTest(
	'daemon run cleans up on SIGINT and then ends by that signal, so that a shell loop ends too',
	async ({env, cli}) => {
		const {child, ended} = await runInForeground(env);
		child.kill('SIGINT');
		expect(await ended).toEqual([null, 'SIGINT']);
		expect(await cli('daemon', 'status')).toMatchObject({
			exitCode: 3,
			stderr: expect.stringContaining('No daemon is running.'),
		});
	},
);

cliTest('daemon run is rejected while a daemon is running', async ({env, cli}) => {
	const {child} = await runInForeground(env);
	const {exitCode, stdout, stderr} = await cli('daemon', 'run');
	expect({exitCode, stdout}).toEqual({exitCode: 1, stdout: ''});
	expect(stderr).toContain(`A daemon is already running (process ${child.pid}).`);
});

cliTest.runIf(existsSync('/dev/full'))(
	'a daemon keeps working if its log cannot be written because the disk is full',
	async ({env, cli}) => {
		const full = openSync('/dev/full', 'w');
		const {child, ended} = await runInForeground(env, {stderr: full});
		closeSync(full);
		expect(await cli('inbox', 'create')).toMatchObject({exitCode: 0, stderr: ''});
		child.kill('SIGTERM');
		expect(await ended).toEqual([0, null]);
	},
);
