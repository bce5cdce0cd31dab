import {once} from 'node:events';
import {chmod, mkdir} from 'node:fs/promises';
import {createServer} from 'node:net';
import path from 'node:path';
import {describe, expect, onTestFinished} from 'vitest';
import {cliTest, runCli} from '../helpers/cli.js';
import {httpStub} from '../helpers/http-stub.js';

const checkNames = [
	...['node', 'settings', 'data folder', 'state folder', 'disk', 'ports', 'daemon', 'store', 'version', 'clock'],
	...['refusals', 'inbox', 'smtp connect', 'smtp accept', 'listed', 'read back', 'deleted'],
];

type Finding = {readonly name: string; readonly result: string; readonly detail: string; readonly hint?: string};

const nameOf = ({name}: Finding) => name;

function failed(stdout: string): readonly Finding[] {
	const {healthy, checks}: {healthy: boolean; checks: readonly Finding[]} = JSON.parse(stdout);
	expect(healthy).toBe(false);
	return checks.filter(({result}) => result === 'failed');
}

describe('tinbox doctor', () => {
	cliTest('passes all checks with a test mail and deletes it', async ({cli}) => {
		const {exitCode, stdout} = await cli('doctor', '--json');
		expect(exitCode).toBe(0);
		const {healthy, checks} = JSON.parse(stdout);
		expect({healthy, names: checks.map(nameOf)}).toEqual({healthy: true, names: checkNames});
		expect(checks.map(({result}: Finding) => result)).toEqual(checkNames.map(() => 'ok'));
		expect((await cli('inbox', 'list')).stdout).toBe('');
	});

	cliTest('prints one tab-separated line per check into a pipe', async ({cli}) => {
		const {stdout} = await cli('doctor');
		expect(stdout.split('\n').map(line => line.split('\t')[0])).toEqual([...checkNames, '']);
		expect(stdout).toContain('read back\tok\tidentical to the mail that was sent\n');
	});

	cliTest('reports a port in use, and skips the checks that need the daemon', async ({env}) => {
		const server = createServer().listen(0, '127.0.0.1');
		await once(server, 'listening');
		onTestFinished(() => {
			server.close();
		});
		const {port} = server.address() as {port: number};
		const {exitCode, stdout, stderr} = await runCli({...env, TINBOX_SMTP_PORT: String(port)}, ['doctor', '--json']);
		expect(exitCode).toBe(1);
		expect(JSON.parse(stderr).error.message).toBe('These checks failed: "ports", "daemon".');
		expect(failed(stdout).map(nameOf)).toEqual(['ports', 'daemon']);
		expect(failed(stdout)[0]?.detail).toContain(`Port ${port} on 127.0.0.1 is in use`);
		expect(JSON.parse(stdout).checks.at(-1)).toEqual({
			name: 'deleted',
			result: 'skipped',
			detail: '"daemon" failed',
		});
	});

	cliTest('reports files that other users can read, with the command that fixes it', async ({home, cli}) => {
		await cli('inbox', 'create');
		await chmod(path.join(home, 'data'), 0o755);
		await chmod(path.join(home, 'config/config.json'), 0o644);
		const {exitCode, stdout} = await cli('doctor', '--json');
		expect(exitCode).toBe(1);
		expect(failed(stdout).map(({name, hint}) => [name, hint])).toEqual([
			['settings', `Remove their access: chmod go= ${home}/config/config.json`],
			['data folder', `Remove their access: chmod go= ${home}/data`],
		]);
	});

	cliTest('reports the version and the clock of a remote daemon', async ({env}) => {
		const {url} = await httpStub(() => ({
			body: {status: 'ok', version: '9.9.9', refusals: []},
			headers: {date: 'Thu, 01 Jan 2026 00:00:00 GMT'},
		}));
		const remote = {...env, TINBOX_URL: url, TINBOX_API_KEY: 'tbx_live_x', TINBOX_SMTP_PORT: '1'};
		const {exitCode, stdout} = await runCli(remote, ['doctor', '--json']);
		expect(exitCode).toBe(1);
		const failures = failed(stdout);
		expect(failures.map(nameOf)).toEqual(['version', 'clock', 'smtp connect']);
		expect(failures[0]?.detail).toMatch(/^The daemon runs tinbox 9\.9\.9, but this command is \d/);
		expect(failures[1]?.detail).toMatch(/^The clock of the daemon is \d+ s behind\.$/);
	});

	cliTest('names TINBOX_URL if that address does not respond', async ({env}) => {
		const remote = {...env, TINBOX_URL: 'http://127.0.0.1:1', TINBOX_API_KEY: 'tbx_live_x'};
		const {stdout} = await runCli(remote, ['doctor', '--json']);
		expect(failed(stdout)).toMatchObject([
			{name: 'daemon', hint: expect.stringContaining('TINBOX_URL is set to this address')},
		]);
	});

	cliTest('reports a data folder that is not writable', async ({home, env}) => {
		const readOnly = path.join(home, 'read-only');
		await mkdir(readOnly, {mode: 0o500});
		const {stdout} = await runCli({...env, TINBOX_DATA_DIR: `${readOnly}/data`, TINBOX_NO_START: '1'}, [
			'doctor',
			'--json',
		]);
		const isRoot = process.getuid?.() === 0;
		expect(failed(stdout).map(nameOf)).toEqual(isRoot ? ['daemon'] : ['data folder', 'daemon']);
	});
});
