import {readFile, stat, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {describe, expect} from 'vitest';
import {type Cli, cliTest, runCli, runScript} from '../helpers/cli.js';

async function createInbox(cli: Cli, ...args: readonly string[]): Promise<string> {
	return (await cli('inbox', 'create', ...args)).stdout.trim();
}

cliTest('a mail sent by SMTP ends the wait for it', async ({cli}) => {
	const address = await createInbox(cli);
	const waiting = cli('messages', 'wait', address, '--subject', 'code', '--json');
	await cli('send', address, '--subject', 'Other');
	const sent = await cli('send', address, '--subject', 'Your code', '--text', 'Your code is 493028.', '--json');
	expect(sent).toMatchObject({exitCode: 0, stderr: ''});
	const {exitCode, stdout} = await waiting;
	expect(exitCode).toBe(0);
	expect(JSON.parse(stdout)).toMatchObject({
		from: 'hello@tinbox.test',
		to: address,
		subject: 'Your code',
		text: expect.stringContaining('493028'),
		message_id: JSON.parse(sent.stdout).message_id,
	});
	expect((await cli('messages', 'wait', address, '--subject', 'code', '--field', 'code')).stdout).toBe('493028\n');
	expect((await cli('messages', 'list', address, '--json=subject')).stdout).toBe(
		'[{"subject":"Your code"},{"subject":"Other"}]\n',
	);
});

cliTest('a wait times out with exit code 124 and lists near misses', async ({cli}) => {
	await createInbox(cli, '--name', 'signup');
	await cli('send', 'signup', '--subject', 'Welcome');
	const {exitCode, stdout, stderr} = await cli('messages', 'wait', 'signup', '--subject', 'code', '--timeout', '200ms');
	expect({exitCode, stdout}).toEqual({exitCode: 124, stdout: ''});
	expect(stderr).toContain('"Welcome" from hello@tinbox.test');
});

cliTest('tinbox send sets Cc recipients, header fields and the text from stdin', async ({env, cli}) => {
	const [to, cc, other] = [await createInbox(cli), await createInbox(cli, '--name', 'copy'), await createInbox(cli)];
	const flags = [
		'--cc',
		'copy',
		'--cc',
		other,
		'--header',
		'X-Shop: blue: 1',
		'--header',
		'Subject: Own',
		'--text',
		'-',
	];
	expect(await runCli(env, ['send', to, ...flags], {input: 'from a pipe'})).toMatchObject({
		exitCode: 0,
		stderr: `Sent to ${to}, ${cc}, ${other}.\n`,
	});
	for (const inbox of [to, cc, other]) {
		const message = JSON.parse((await cli('messages', 'show', inbox, '--json')).stdout);
		expect(message).toMatchObject({subject: 'Own', text: expect.stringMatching(/^from a pipe\s*$/), cc: [cc, other]});
		expect(message.headers).toContainEqual({name: 'X-Shop', value: 'blue: 1'});
	}

	for (const header of ['no colon', 'Two: a\nB: b', 'Not A Name: x', ': x']) {
		const refused = await cli('send', to, '--header', header);
		expect(refused).toMatchObject({
			exitCode: 2,
			stderr: expect.stringContaining('--header must be "name: value" on one line'),
		});
	}
});

describe('mail files', () => {
	cliTest('a source from stdin is stored and returned byte for byte', async ({home, env, cli}) => {
		await createInbox(cli, '--name', 'signup');
		const source = 'Subject: raw\r\nX-Odd:  two  spaces\r\n\r\nbody\r\n';
		expect(await runCli(env, ['send', 'signup', '--raw'], {input: source})).toMatchObject({exitCode: 0});
		expect((await cli('messages', 'raw', 'signup')).stdout).toMatch(
			/Subject: raw\r\nX-Odd: {2}two {2}spaces\r\n\r\nbody\r\n$/,
		);
		const saved = await runCli(env, ['messages', 'save', 'signup', '--output', 'mail.eml'], {cwd: home});
		expect(saved).toMatchObject({exitCode: 0, stdout: 'mail.eml\n'});
		expect(await readFile(path.join(home, 'mail.eml'), 'utf8')).toContain(source);
		expect((await stat(path.join(home, 'mail.eml'))).mode & 0o777).toBe(0o600);
	});

	cliTest(
		'an attachment is saved under its name, and an existing file is overwritten only with --force',
		async ({home, env, cli}) => {
			await createInbox(cli, '--name', 'signup');
			await writeFile(path.join(home, 'a.txt'), 'attached');
			await cli('send', 'signup', '--attach', path.join(home, 'a.txt'));
			const save = (...args: readonly string[]) =>
				runCli(env, ['messages', 'save', 'signup', 'latest', ...args], {cwd: path.join(home, 'state')});
			expect(await save('--attachment', 'a.txt')).toMatchObject({exitCode: 0, stdout: 'a.txt\n'});
			expect(await readFile(path.join(home, 'state', 'a.txt'), 'utf8')).toBe('attached');
			expect(await save('--attachment', '1')).toMatchObject({
				exitCode: 1,
				stdout: '',
				stderr: expect.stringContaining('The file "a.txt" already exists.\nOverwrite it with --force'),
			});
			expect(await save('--attachment', '1', '--force')).toMatchObject({exitCode: 0});
			expect(await save('--attachment', 'b.txt')).toMatchObject({
				exitCode: 5,
				stderr: expect.stringContaining('1  a.txt'),
			});
		},
	);

	cliTest('an attachment whose name is a path is saved in the current folder', async ({home, env, cli}) => {
		await createInbox(cli, '--name', 'signup');
		const input = [
			'Subject: x',
			'Content-Type: application/octet-stream; name="../../escape.txt"',
			'Content-Disposition: attachment; filename="../../escape.txt"',
			'',
			'x',
			'',
		].join('\r\n');
		await runCli(env, ['send', 'signup', '--raw'], {input});
		const saved = await runCli(env, ['messages', 'save', 'signup', 'latest', '--attachment', '1'], {
			cwd: path.join(home, 'state'),
		});
		expect(saved).toMatchObject({exitCode: 0, stdout: 'escape.txt\n'});
	});
});

describe('exit codes', () => {
	cliTest('identify the kind of failure, with nothing on stdout', async ({env, cli}) => {
		await createInbox(cli, '--name', 'signup');
		const failures: ReadonlyArray<readonly [number, readonly string[], Record<string, string>?]> = [
			[2, ['inbox', 'create', '--ttl', 'soon']],
			[2, ['inbox', 'create', '--address', 'no address']],
			[2, ['daemon', 'start', '--smtp-port', '99999']],
			[2, ['daemon', 'start'], {TINBOX_HTTP_PORT: 'x'}],
			[3, ['inbox', 'list'], {TINBOX_URL: 'http://127.0.0.1:1/v1', TINBOX_API_KEY: 'tbx_live_x'}],
			[4, ['inbox', 'list'], {TINBOX_API_KEY: 'tbx_live_x'}],
			[4, ['inbox', 'list'], {TINBOX_URL: 'http://127.0.0.1:1/v1'}],
			[5, ['inbox', 'show', 'nobody']],
			[5, ['messages', 'show', 'signup']],
			[5, ['messages', 'show', 'signup', 'nothing']],
			[5, ['send', 'nobody@tinbox.test']],
			[1, ['send', 'signup', '--attach', '/no/such/file']],
		];
		for (const [exitCode, args, variables = {}] of failures) {
			const result = await runCli({...env, ...variables}, args);
			expect({...result, args}).toMatchObject({exitCode, stdout: '', args});
			expect(result.stderr).not.toMatch(/^\s*at |Error:/m);
			expect(result.stderr.trim()).not.toBe('');
		}
	});

	cliTest('report success for an empty list', async ({env}) => {
		const {exitCode, stdout} = await runScript(
			env,
			'tinbox inbox list 2>/dev/null; echo "$?"; tinbox daemon stop 2>/dev/null',
		);
		expect({exitCode, stdout}).toEqual({exitCode: 0, stdout: '0'});
	});
});
