import {readFile, stat, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {describe, expect} from 'vitest';
import {type Cli, cliTest, ownEnv, runCli, runScript} from '../helpers/cli.js';
import {tempDir} from '../helpers/temp-dir.js';

/** Runs command lines in a separate home, as on another computer. */
type RemoteCli = (args: readonly string[], input?: string) => ReturnType<typeof runCli>;

/** Creates a user with a token, and a home without a daemon. */
async function remoteUser(cli: Cli, email: string, plan = 'free') {
	const {url} = JSON.parse((await cli('daemon', 'start', '--json')).stdout);
	await cli('users', 'create', email, '--plan', plan);
	const token = (await cli('users', 'token', email)).stdout;
	const home = await tempDir();
	const remoteCli: RemoteCli = async (args, input = '') => runCli(ownEnv(home), args, {input});
	return {url, token, home, remoteCli};
}

async function settingsIn(home: string) {
	return JSON.parse(await readFile(path.join(home, 'config', 'config.json'), 'utf8'));
}

cliTest('two users share an inbox through a team until one of them is removed', async ({home, env, cli}) => {
	await cli('daemon', 'start');
	const {exitCode, stdout, stderr} = await runScript(
		{...env, DIR: home},
		`
		set -e
		tinbox users create ann@example.com --name Ann --plan starter > /dev/null
		tinbox users create bob@example.com --name Bob > /dev/null
		tinbox users token ann@example.com | tinbox login --profile ann
		tinbox users token bob@example.com | tinbox login --profile bob

		tinbox --profile ann teams create Shop > /dev/null
		invite=$(tinbox --profile ann teams invite Shop bob@example.com)
		tinbox --profile bob teams accept "$invite" > /dev/null
		addr=$(tinbox --profile ann inbox create --team Shop)

		tinbox --profile bob messages wait "$addr" --timeout 30s --field code > "$DIR/code" &
		tinbox send "$addr" --subject 'Your code' --text 'Your verification code is 493028.'
		wait $!
		echo "code: $(cat "$DIR/code")"

		tinbox --profile ann teams remove Shop bob@example.com
		tinbox --profile bob messages list "$addr" || echo "bob: $?"
		tinbox --profile ann messages list "$addr" | wc -l
		`,
	);
	expect({exitCode, stdout}).toEqual({exitCode: 0, stdout: 'code: 493028\nbob: 5\n1'});
	expect(stderr).toMatch(/There is no inbox "[^"]+@tinbox\.test"\./);
});

describe('tinbox login', () => {
	cliTest('makes later commands use the remote daemon without starting a local one', async ({cli}) => {
		const {url, token, home, remoteCli} = await remoteUser(cli, 'ann@example.com');
		const address = new URL(url).origin;
		expect(await remoteCli(['login', '--url', address], token)).toMatchObject({
			exitCode: 0,
			stdout: '',
			stderr: `Logged in to ${url} as ann@example.com, in the profile "default".\n`,
		});
		expect(await remoteCli(['inbox', 'create', '--name', 'signup'])).toMatchObject({exitCode: 0, stderr: ''});
		expect((await remoteCli(['keys', 'list'])).stdout).toMatch(/^tinbox CLI\t/);
		expect(JSON.parse((await remoteCli(['whoami', '--json'])).stdout)).toMatchObject({
			name: 'ann@example.com',
			email: 'ann@example.com',
			plan: 'free',
			url,
			profile: 'default',
			key_prefix: expect.stringMatching(/^tbx_live_.{7}$/),
			token_expires_at: expect.stringMatching(/^20\d\d-.*Z$/),
		});
		expect(await remoteCli(['daemon', 'status'])).toMatchObject({exitCode: 3});
		expect((await stat(path.join(home, 'config', 'config.json'))).mode & 0o777).toBe(0o600);
	});

	cliTest(
		'keeps the existing API key when repeated, and logout revokes the key and deletes the profile',
		async ({cli}) => {
			const {url, token, home, remoteCli} = await remoteUser(cli, 'ann@example.com');
			await remoteCli(['login', '--url', url, '--profile', 'work'], token);
			const {apiKey} = (await settingsIn(home)).profiles.work;
			expect(await remoteCli(['login', '--url', url, '--profile', 'work'], token)).toMatchObject({exitCode: 0});
			expect((await settingsIn(home)).profiles.work).toMatchObject({url, apiKey});

			const withKey = {...ownEnv(home), TINBOX_URL: url, TINBOX_API_KEY: apiKey};
			expect(await runCli(withKey, ['inbox', 'list'])).toMatchObject({exitCode: 0});
			expect(await remoteCli(['logout', '--profile', 'work'])).toMatchObject({
				exitCode: 0,
				stderr: 'Logged out of the profile "work".\n',
			});
			expect(await runCli(withKey, ['inbox', 'list'])).toMatchObject({exitCode: 4, stdout: ''});
			expect((await settingsIn(home)).profiles).toEqual({});
			expect(await remoteCli(['--profile', 'work', 'inbox', 'list'])).toMatchObject({
				exitCode: 4,
				stderr: expect.stringContaining('tinbox login --profile work'),
			});
			expect(await remoteCli(['logout', '--profile', 'work'])).toMatchObject({exitCode: 0});
		},
	);

	cliTest('with an existing API key creates no key, and logout revokes none', async ({cli}) => {
		const {url, token, home, remoteCli} = await remoteUser(cli, 'ann@example.com');
		const asAnn = {...ownEnv(home), TINBOX_URL: url, TINBOX_TOKEN: token.trim()};
		const {stdout: key} = await runCli(asAnn, ['keys', 'create']);
		const files = {key: path.join(home, 'key'), token: path.join(home, 'token'), local: path.join(home, 'local')};
		await writeFile(files.key, key);
		await writeFile(files.token, token);
		await writeFile(files.local, (await cli('keys', 'create')).stdout);
		const login = ['login', '--url', url, '--token-file', files.token, '--api-key-file'];

		expect(await remoteCli([...login, files.local])).toMatchObject({
			exitCode: 4,
			stderr: expect.stringContaining('belongs to'),
		});
		expect(await remoteCli([...login, files.key])).toMatchObject({exitCode: 0});
		expect(await remoteCli(['inbox', 'list'])).toMatchObject({exitCode: 0, stderr: ''});
		await remoteCli(['logout']);
		expect((await runCli(asAnn, ['keys', 'list'])).stdout).toMatch(/^Default\t[^\n]*\n$/);
	});

	cliTest('succeeds without an API key when the key quota is reached, and reports it', async ({cli}) => {
		const {url, token, home, remoteCli} = await remoteUser(cli, 'ann@example.com');
		await runCli({...ownEnv(home), TINBOX_URL: url, TINBOX_TOKEN: token.trim()}, ['keys', 'create']);
		const login = await remoteCli(['login', '--url', url], token);
		expect(login).toMatchObject({exitCode: 0, stderr: expect.stringContaining('allows 1 API key')});
		expect(await remoteCli(['inbox', 'create'])).toMatchObject({exitCode: 4, stdout: ''});
		expect(await remoteCli(['whoami'])).toMatchObject({exitCode: 0, stderr: ''});

		const [{id}] = JSON.parse((await remoteCli(['keys', 'list', '--json=id'])).stdout);
		await remoteCli(['keys', 'revoke', id]);
		expect(await remoteCli(['inbox', 'create'])).toMatchObject({exitCode: 0, stderr: ''});
	});

	cliTest('with invalid credentials writes no settings and prints no secret', async ({home, cli}) => {
		const {url, token, home: other, remoteCli} = await remoteUser(cli, 'ann@example.com');
		const operatorToken = await readFile(path.join(home, 'data', 'operator-token'), 'utf8');
		const forged = token.replace(/.{4}\n$/, 'AAAA\n');
		for (const [exitCode, args, input] of [
			[4, ['login', '--url', url], forged],
			[4, ['login', '--url', url], operatorToken],
			[2, ['login', '--url', url], ''],
			[2, ['login', '--url', url], 'two words'],
			[2, ['login', '--url', 'mail.example.com'], token],
			[2, ['login', '--url', 'ftp://127.0.0.1/v1'], token],
			[2, ['login', '--url', url, '--profile', 'local'], token],
			[3, ['login', '--url', 'http://127.0.0.1:1/v1'], token],
			[1, ['login', '--url', url, '--token-file', '/no/such/file'], token],
		] as const) {
			const result = await remoteCli(args, input);
			expect({...result, args}).toMatchObject({exitCode, stdout: '', args});
			expect(result.stderr.trim()).not.toBe('');
			expect(result.stderr).not.toContain(input.trim() || 'undefined');
		}

		await expect(stat(path.join(other, 'config', 'config.json'))).rejects.toThrow('ENOENT');
	});
});

describe('whoami', () => {
	cliTest('prints the local user before any login', async ({cli}) => {
		const {stdout} = await cli('whoami', '--json');
		expect(JSON.parse(stdout)).toMatchObject({
			email: expect.stringMatching(/@localhost$/),
			plan: 'business',
			profile: 'local',
			token_expires_at: null,
		});
	});

	cliTest('reports the rejected credential, and fails when every credential is rejected', async ({cli}) => {
		const {url, token, home, remoteCli} = await remoteUser(cli, 'ann@example.com');
		const {stdout: key} = await cli('keys', 'create');
		const env = {...ownEnv(home), TINBOX_URL: url};
		const whoami = async (variables: Record<string, string>) =>
			runCli({...env, ...variables}, ['whoami', '--json=email,profile']);

		expect(await whoami({TINBOX_TOKEN: token.trim(), TINBOX_API_KEY: 'tbx_live_x'})).toEqual({
			exitCode: 0,
			signal: undefined,
			stdout: '{"email":"ann@example.com","profile":null}\n',
			stderr: 'The API key is unknown or was revoked. Create a new one.\n',
		});
		expect(await whoami({TINBOX_API_KEY: key.trim()})).toMatchObject({exitCode: 0, stderr: ''});
		expect(await whoami({TINBOX_TOKEN: 'a.b.c', TINBOX_API_KEY: 'tbx_live_x'})).toMatchObject({exitCode: 4});
		expect(await whoami({})).toMatchObject({exitCode: 4, stderr: expect.stringContaining('TINBOX_API_KEY')});
		expect(await remoteCli(['daemon', 'status'])).toMatchObject({exitCode: 3});
	});
});
