import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {describe, expect} from 'vitest';
import {exitCodes} from '../../src/cli/output/exit.js';
import {bin, cliTest, runCli, runScript} from '../helpers/cli.js';

type Row = {readonly args: readonly string[]; readonly env?: Record<string, string>; readonly message: string};

const unreachable = 'http://127.0.0.1:1/v1';

/** One command line per exit code. The inbox "signup" has one message without a code. */
const rows: Readonly<Record<keyof typeof exitCodes, Row>> = {
	ok: {args: ['inbox', 'list'], message: ''},
	failed: {args: ['send', 'signup', '--attach', '/no/such/file'], message: 'No such file or directory'},
	usage: {
		args: ['messages', 'wait', 'signup', '--timeout', 'soon'],
		message: 'It must be a duration of at most 3650d, such as 500ms, 30s or 2m',
	},
	noDaemon: {
		args: ['inbox', 'list'],
		env: {TINBOX_URL: unreachable, TINBOX_API_KEY: 'x'},
		message: 'cannot be reached',
	},
	denied: {args: ['inbox', 'list'], env: {TINBOX_API_KEY: 'tbx_live_x'}, message: 'TINBOX_API_KEY'},
	notFound: {args: ['inbox', 'show', 'nobody'], message: 'There is no inbox "nobody".'},
	conditionFailed: {args: ['messages', 'wait', 'signup', '--field', 'from_name'], message: 'has no from_name'},
	timedOut: {args: ['messages', 'wait', 'signup', '--subject', 'Bye', '--timeout', '100ms'], message: '"Hello"'},
};

describe('the command line', () => {
	cliTest('exits with the documented code, with the reason on stderr and nothing on stdout', async ({env, cli}) => {
		await cli('inbox', 'create', '--name', 'signup');
		await cli('send', 'signup', '--subject', 'Hello', '--text', 'Nothing to see here.');
		for (const [name, exitCode] of Object.entries(exitCodes) as Array<[keyof typeof exitCodes, number]>) {
			const {args, env: variables = {}, message} = rows[name];
			const result = await runCli({...env, ...variables}, args);
			expect({name, ...result}).toMatchObject({name, exitCode, stderr: expect.stringContaining(message)});
			expect(result.stdout === '').toBe(name !== 'ok');

			const inJson = await runCli({...env, ...variables}, [...args, '--json']);
			if (name === 'ok') {
				expect(JSON.parse(inJson.stdout).total).toBe(1);
			} else if (!args.includes('--field')) {
				expect({name, ...inJson}).toMatchObject({name, exitCode, stdout: ''});
				expect(JSON.parse(inJson.stderr)).toEqual({
					error: expect.objectContaining({code: expect.stringMatching(/^[a-z_]+$/), message: expect.any(String)}),
				});
			}
		}
	});

	cliTest('uses the daemon whose variables "daemon start --format env" exports', async ({env}) => {
		const {stdout, stderr, exitCode} = await runScript(
			env,
			`
			set -e
			eval "$(tinbox daemon start --format env)"
			unset TINBOX_HOME HOME
			export TINBOX_NO_START=1
			unset TINBOX_SMTP_PORT SMTP_PORT
			address=$(tinbox inbox create)
			tinbox send "$address" --subject "from $SMTP_HOST" 2>/dev/null
			tinbox messages wait "$address" --json=subject`,
		);
		expect({exitCode, stdout, stderr}).toEqual({exitCode: 0, stdout: '{"subject":"from 127.0.0.1"}', stderr: ''});
		await runCli(env, ['daemon', 'stop']);
	});
});

describe('TINBOX_URL', () => {
	cliTest(
		'works with and without /v1, and is named in the error if it is invalid or does not respond',
		async ({env, cli}) => {
			await cli('daemon', 'start');
			const exported = (await cli('daemon', 'status', '--format', 'env')).stdout;
			const [, url = '', key = ''] = /TINBOX_URL=(\S+)\/v1\nexport TINBOX_API_KEY=(\S+)/.exec(exported) ?? [];
			const elsewhere = {...env, TINBOX_HOME: `${env['HOME']}/other`, TINBOX_API_KEY: key};
			for (const address of [url, `${url}/`, `${url}/v1`, `${url}/v1/`]) {
				expect(await runCli({...elsewhere, TINBOX_URL: address}, ['inbox', 'list'])).toMatchObject({exitCode: 0});
				// The URL belongs to the local daemon, whose user needs no key.
				expect(await runCli({...env, TINBOX_URL: address}, ['inbox', 'list'])).toMatchObject({exitCode: 0});
			}

			for (const address of ['127.0.0.1:8025', 'localhost:8025', 'ftp://127.0.0.1', 'http://', `${url}/v1?x`]) {
				expect(await runCli({...elsewhere, TINBOX_URL: address}, ['inbox', 'list'])).toMatchObject({
					exitCode: 2,
					stderr: expect.stringContaining(`TINBOX_URL must be the URL of a tinbox API such as http://`),
				});
			}

			await cli('daemon', 'stop');
			const {exitCode, stderr} = await runCli({...elsewhere, TINBOX_URL: url}, ['inbox', 'list']);
			expect({exitCode, stderr}).toEqual({exitCode: 3, stderr: expect.stringContaining(`${url} cannot be reached`)});
			expect(stderr).toContain('TINBOX_URL is set to this address');
		},
	);
});

describe('output into a pipe', () => {
	cliTest.for([{}, {NO_COLOR: '1'}, {FORCE_COLOR: '1'}, {NO_COLOR: '1', FORCE_COLOR: '1'}, {TERM: 'dumb'}, {CI: '1'}])(
		'has no colors with %o',
		async (variables, {env}) => {
			for (const args of [['--help'], ['help', 'ci'], ['inbox', 'nonsense'], ['daemon', 'status']]) {
				const plain = await runCli(env, args);
				const result = await runCli({...env, ...variables}, args);
				expect(result).toEqual(plain);
				expect(result.stdout + result.stderr).not.toContain('\x1b');
			}
		},
	);
});

cliTest('daemon logs -f ends on SIGINT', async ({env, cli}) => {
	await cli('daemon', 'start');
	const child = spawn(process.execPath, [bin, 'daemon', 'logs', '-f', '-n', '1'], {
		env,
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	const ended = once(child, 'exit');
	const [line] = await once(createInterface(child.stdout), 'line');
	expect(JSON.parse(String(line))).toMatchObject({level: 'info', msg: 'Daemon started'});
	child.kill('SIGINT');
	expect(await ended).toEqual([null, 'SIGINT']);
});
