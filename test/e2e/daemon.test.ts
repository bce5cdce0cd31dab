import {once} from 'node:events';
import {chmod, chown, mkdir, readdir, readFile, rm, symlink, writeFile} from 'node:fs/promises';
import {type AddressInfo, createServer} from 'node:net';
import {hostname} from 'node:os';
import path from 'node:path';
import {describe, expect, onTestFinished} from 'vitest';
import {processBirth} from '../../src/lib/io/process-lock.js';
import {cliTest, runCli, runScript} from '../helpers/cli.js';

const stateLine = {
	pid: expect.any(Number),
	version: expect.any(String),
	url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
	https_url: null,
	smtp: {host: '127.0.0.1', port: expect.any(Number)},
	smtps: {host: '127.0.0.1', port: expect.any(Number)},
	domain: 'tinbox.test',
	data_dir: expect.any(String),
	store: null,
};

describe('data and state folders', () => {
	cliTest('are resolved against the working directory of the command that starts the daemon', async ({home, env}) => {
		const {TINBOX_HOME: _, ...others} = env;
		const relative = {...others, HOME: 'me', XDG_STATE_HOME: './state'};
		const cli = async (...args: readonly string[]) => runCli(relative, args, {cwd: home});
		onTestFinished(async () => void (await cli('daemon', 'stop')));
		const started = await cli('daemon', 'start', '--json');
		expect(started).toMatchObject({exitCode: 0, stderr: ''});
		expect(JSON.parse(started.stdout).data_dir).toBe(path.join(home, 'me/.local/share/tinbox'));
		expect(await cli('inbox', 'create')).toMatchObject({exitCode: 0, stderr: ''});
		expect((await readdir(home)).sort()).toEqual(['me', 'state']);
		expect(await readdir(path.join(home, 'state/tinbox'))).toEqual(
			expect.arrayContaining(['daemon.json', 'daemon.log']),
		);
	});

	cliTest('are never relative to an empty HOME', async ({home, env}) => {
		const {TINBOX_HOME: _, ...others} = env;
		const {stderr} = await runCli({...others, HOME: ''}, ['daemon', 'logs', '-n', '1'], {cwd: home});
		expect(stderr).not.toContain('to .local');
	});
});

describe('daemon start and stop', () => {
	cliTest('start, status and stop report the same daemon', async ({home, cli}) => {
		expect(await cli('daemon', 'status')).toMatchObject({exitCode: 3, stdout: ''});
		const started = await cli('daemon', 'start', '--json');
		expect(started).toMatchObject({exitCode: 0, stderr: ''});
		expect(started.stdout).toMatch(/^[^\n]+\n$/);
		expect(JSON.parse(started.stdout)).toEqual({...stateLine, data_dir: path.join(home, 'data')});
		expect(Object.keys(JSON.parse(started.stdout))).toEqual(Object.keys(stateLine));
		expect((await cli('daemon', 'status', '--json')).stdout).toBe(started.stdout);

		const {nodes} = JSON.parse((await cli('daemon', 'status', '--nodes', '--json')).stdout);
		const {url, version} = JSON.parse(started.stdout);
		const {host: address} = new URL(url);
		expect(nodes).toMatchObject([{name: hostname(), version, address, waits: 0, sessions: 0, state: 'up'}]);
		const {stdout: row} = await cli('daemon', 'status', '--nodes');
		expect(row).toMatch(`${hostname()}\t${address}\tup\t`);

		const again = await cli('daemon', 'start', '--json');
		expect(again).toMatchObject({exitCode: 0, stdout: started.stdout, stderr: 'The daemon is already running.\n'});

		expect(await cli('daemon', 'stop')).toMatchObject({exitCode: 0, stdout: ''});
		expect(processBirth(JSON.parse(started.stdout).pid)).toBeUndefined();
		expect(await cli('daemon', 'status')).toMatchObject({exitCode: 3});
		expect(await cli('daemon', 'stop')).toMatchObject({exitCode: 0, stderr: 'No daemon is running.\n'});
	});

	cliTest('a data folder that cannot be created is reported immediately', async ({home, cli}) => {
		const file = path.join(home, 'file');
		await writeFile(file, '');
		const places = [file, path.join(file, 'data'), ...(process.platform === 'linux' ? ['/proc/1/x'] : [])];
		for (const place of places) {
			for (const verb of ['start', 'run']) {
				const {exitCode, stderr} = await cli('daemon', verb, '--data-dir', place);
				expect({exitCode, stderr}).toEqual({
					exitCode: 1,
					stderr: expect.stringMatching(/^Cannot create the data folder .*\n$/),
				});
				expect(stderr).toContain(place);
			}
		}
	});

	cliTest('an operator token that is a symbolic link is rejected', async ({home, cli}) => {
		const data = path.join(home, 'data');
		await mkdir(data);
		await writeFile(path.join(home, 'known'), 'known');
		await symlink(path.join(home, 'known'), path.join(data, 'operator-token'));
		expect(await cli('daemon', 'start')).toMatchObject({
			exitCode: 1,
			stderr: expect.stringContaining('is a symbolic link'),
		});
	});

	cliTest('a log file that is a symbolic link is not written to', async ({home, cli}) => {
		const log = path.join(home, 'state', 'daemon.log');
		await mkdir(path.dirname(log));
		await writeFile(path.join(home, 'known'), 'known');
		await symlink(path.join(home, 'known'), log);
		expect(await cli('daemon', 'start')).toMatchObject({
			exitCode: 1,
			stderr: expect.stringContaining(`${log} is a symbolic link`),
		});
		expect(await readFile(path.join(home, 'known'), 'utf8')).toBe('known');
	});

	cliTest('a TINBOX_HOME that contains a symbolic link or belongs to another user is rejected', async ({home, cli}) => {
		const link = path.join(home, 'state');
		const target = path.join(home, 'target');
		await mkdir(target);
		await symlink(target, link);
		await chmod(home, 0o777);
		for (const verb of ['start', 'run', 'restart']) {
			expect(await cli('daemon', verb)).toMatchObject({
				exitCode: 1,
				stderr: expect.stringContaining(`${link} is a symbolic link`),
			});
		}

		if (process.getuid?.() === 0) {
			await rm(link);
			await chown(home, 54_321, 54_321);
			expect(await cli('daemon', 'start')).toMatchObject({
				exitCode: 1,
				stderr: expect.stringContaining(`${home} belongs to another user`),
			});
			await chown(home, 0, 0);
		}

		expect(await readdir(target)).toEqual([]);
	});

	cliTest('twelve concurrent starts create one daemon and all succeed', async ({cli}) => {
		const results = await Promise.all(Array.from({length: 12}, () => cli('daemon', 'start', '--json=pid')));
		expect(results.map(({exitCode}) => exitCode)).toEqual(Array(12).fill(0));
		expect(new Set(results.map(({stdout}) => stdout)).size).toBe(1);
	});

	cliTest('start closes its output while the daemon keeps running', async ({env, cli}) => {
		const {stdout} = await runScript(env, 'x=$(tinbox daemon start --json=pid 2>&1); echo "$x"');
		expect(JSON.parse(stdout)).toEqual(JSON.parse((await cli('daemon', 'status', '--json=pid')).stdout));
	});

	cliTest('restart keeps the mail and the ports', async ({home, cli}) => {
		const env = {PATH: process.env['PATH'] ?? '', TINBOX_HOME: home};
		const args = ['--smtp-port', '0', '--http-port', '0', '--json'];
		const before = JSON.parse((await runCli(env, ['daemon', 'start', ...args])).stdout);
		const {stdout: address} = await runCli(env, ['inbox', 'create']);
		const after = JSON.parse((await runCli(env, ['daemon', 'restart', '--json'])).stdout);
		expect(after).toEqual({...before, pid: expect.any(Number)});
		expect(after.pid).not.toBe(before.pid);
		expect((await cli('inbox', 'list')).stdout).toContain(address.trim());
	});

	cliTest('start with settings that differ from the running daemon is rejected', async ({cli}) => {
		await cli('daemon', 'start');
		const {exitCode, stdout, stderr} = await cli('daemon', 'start', '--domain', 'other.test', '--smtp-port', '0');
		expect({exitCode, stdout}).toEqual({exitCode: 1, stdout: ''});
		expect(stderr).toMatch(/^A daemon is already running \(process \d+\) without --domain other\.test\.\n/);
		expect(stderr).toContain('tinbox daemon restart --domain other.test');
	});
});

describe('daemon recovery', () => {
	cliTest('a daemon starts after a kill and keeps the mail', async ({cli}) => {
		const {stdout} = await cli('daemon', 'start', '--json=pid');
		const {stdout: address} = await cli('inbox', 'create');
		process.kill(JSON.parse(stdout).pid, 'SIGKILL');
		const restarted = await cli('daemon', 'start', '--json=pid');
		expect(restarted).toMatchObject({exitCode: 0, stderr: ''});
		expect(restarted.stdout).not.toBe(stdout);
		expect((await cli('inbox', 'list')).stdout).toContain(address.trim());
	});

	cliTest('a state file whose process id was reused by another process is ignored', async ({home, cli}) => {
		await cli('daemon', 'start');
		const file = path.join(home, 'state', 'daemon.json');
		const state = JSON.parse(await readFile(file, 'utf8'));
		await cli('daemon', 'stop');
		await writeFile(file, JSON.stringify({...state, pid: process.pid}));
		expect(await cli('daemon', 'status')).toMatchObject({exitCode: 3});
		expect(await cli('daemon', 'stop')).toMatchObject({exitCode: 0, stderr: 'No daemon is running.\n'});
		expect(await cli('daemon', 'start')).toMatchObject({exitCode: 0, stderr: ''});
	});

	cliTest('a port in use is reported with the process that uses it', async ({env, cli}) => {
		const server = createServer().listen(0, '127.0.0.1');
		await once(server, 'listening');
		onTestFinished(() => {
			server.close();
		});
		const {port} = server.address() as AddressInfo;
		for (const flag of ['--smtp-port', '--smtps-port', '--http-port']) {
			const {exitCode, stdout, stderr} = await cli('daemon', 'start', flag, String(port));
			expect({exitCode, stdout}).toEqual({exitCode: 1, stdout: ''});
			expect(stderr).toContain(`Port ${port} on 127.0.0.1 is in use`);
			expect(stderr).toContain(`choose another port with ${flag}`);
			if (process.platform === 'linux') {
				expect(stderr).toContain(`(process ${process.pid})`);
			}
		}

		const inbox = await runCli({...env, TINBOX_SMTP_PORT: String(port)}, ['inbox', 'create']);
		expect(inbox).toMatchObject({exitCode: 3, stdout: '', stderr: expect.stringContaining('TINBOX_SMTP_PORT')});
		expect(await cli('daemon', 'status')).toMatchObject({exitCode: 3});
	});

	cliTest('credentials are created again after the data folder was deleted', async ({home, cli}) => {
		await cli('inbox', 'create');
		await cli('daemon', 'stop');
		await rm(path.join(home, 'data'), {recursive: true});
		await cli('daemon', 'start');
		expect(await cli('inbox', 'create')).toMatchObject({exitCode: 0, stderr: ''});
		expect((await cli('users', 'list')).stdout.trim().split('\n')).toHaveLength(1);
	});
});

describe('a command that needs a daemon', () => {
	cliTest('starts one and reports it once, also if eight run concurrently', async ({home, cli}) => {
		const results = await Promise.all(Array.from({length: 8}, () => cli('inbox', 'create')));
		expect(results.map(({exitCode}) => exitCode)).toEqual(Array(8).fill(0));
		const notes = results.map(({stderr}) => stderr).filter(stderr => stderr !== '');
		expect(notes).toEqual([expect.stringMatching(/^Started a tinbox daemon: .*Stop it: tinbox daemon stop\n$/)]);
		const {users} = JSON.parse((await cli('users', 'list', '--json')).stdout);
		expect(users).toEqual([expect.objectContaining({email: expect.stringMatching(/@localhost$/), plan: 'business'})]);
		const {credentials} = JSON.parse(await readFile(path.join(home, 'config', 'config.json'), 'utf8'));
		expect(Object.keys(credentials)).toEqual([path.join(home, 'data')]);
	});

	cliTest('fails with exit code 3 if TINBOX_NO_START is set', async ({env, cli}) => {
		const {exitCode, stdout, stderr} = await runCli({...env, TINBOX_NO_START: '1'}, ['inbox', 'list']);
		expect({exitCode, stdout}).toEqual({exitCode: 3, stdout: ''});
		expect(stderr).toContain('Start a daemon: tinbox daemon start');
		expect(await cli('daemon', 'status')).toMatchObject({exitCode: 3});
	});

	cliTest('warns about a daemon of another version', async ({home, cli}) => {
		await cli('inbox', 'create');
		const file = path.join(home, 'state', 'daemon.json');
		const state = JSON.parse(await readFile(file, 'utf8'));
		await writeFile(file, JSON.stringify({...state, version: '0.0.1'}));
		const {exitCode, stderr} = await cli('inbox', 'list');
		expect(exitCode).toBe(0);
		expect(stderr).toMatch(/^The daemon runs tinbox 0\.0\.1, but this command is .*tinbox daemon restart\n$/);
	});
});
