import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {readdir, readFile, rename, utimes, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {createInterface} from 'node:readline';
import {describe, expect, onTestFinished, test} from 'vitest';
import {processBirth} from '../../src/lib/io/process-lock.js';
import {bin, runCli} from '../helpers/cli.js';
import {tempDir} from '../helpers/temp-dir.js';
import {tinboxOnPath} from '../helpers/tinbox-on-path.js';

type Env = Record<string, string>;

type Inside = (script: string, ...flags: readonly string[]) => ReturnType<typeof runCli>;

/** A test with an environment without a daemon. `inside` runs a script with `tinbox run`. */
const runTest = test.extend<{env: Env; inside: Inside}>({
	// biome-ignore lint/correctness/noEmptyPattern: vitest reads the pattern
	env: async ({}, use) => {
		const home = await tempDir();
		await use(await tinboxOnPath(home, {PATH: process.env['PATH'] ?? '', HOME: home}));
	},
	inside: async ({env}, use) =>
		use(async (script, ...flags) => runCli(env, ['run', ...flags, '--', 'bash', '-c', script])),
});

/** Folders of `tinbox run` in the temporary folder. */
async function runFolders({TMPDIR = ''}: Env): Promise<string[]> {
	return (await readdir(TMPDIR)).filter(name => name.startsWith('tinbox-run-')).sort();
}

/** Starts a run and waits for the first line that its command prints. */
async function startRun(env: Env, script: string) {
	const child = spawn(process.execPath, [bin, 'run', '--', 'bash', '-c', script], {
		env,
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	const ended = once(child, 'exit');
	onTestFinished(async () => {
		child.kill('SIGKILL');
		await ended;
	});
	const lines = createInterface(child.stdout);
	const [first] = await once(lines, 'line');
	return {child, ended, lines, first: String(first)};
}

describe('a command in tinbox run', () => {
	runTest(
		'gets the variables of the sending APIs with --send, and receives mail sent through them',
		async ({inside}) => {
			const script = `
			set -e
			echo "$RESEND_BASE_URL $RESEND_API_URL $RESEND_API_KEY $AWS_ENDPOINT_URL_SES $AWS_ENDPOINT_URL_SESV2 $TINBOX_MAILGUN_URL."
			test -z "$AWS_ACCESS_KEY_ID"
			curl -sf "$TINBOX_URL/send" -H "Authorization: Bearer $TINBOX_SEND_KEY" -H 'Content-Type: application/json' \\
				-d '{"from": "shop@shop.example", "to": "'"$TINBOX_ADDRESS"'", "text": "Your code is 482913"}' > /dev/null
			tinbox messages wait "$TINBOX_ADDRESS" --field code`;
			const {exitCode, stdout} = await inside(script, '--send', 'resend,ses');
			const [variables = '', code] = stdout.split('\n');
			const [, base] = /^(http:\/\/127\.0\.0\.1:\d+)/.exec(variables) ?? [];
			expect({exitCode, code}).toEqual({exitCode: 0, code: '482913'});
			expect(variables).toBe(`${base}/send/resend ${base}/send/resend tinbox ${base}/send/ses ${base}/send/ses .`);
		},
	);

	runTest('is not started if --send names an unknown sending API', async ({inside}) => {
		const {exitCode, stderr} = await inside('true', '--send', 'resend,other');
		expect([exitCode, stderr]).toEqual([
			2,
			expect.stringContaining('Unknown sending API "other". The APIs are: resend, ses,'),
		]);
	});

	runTest('uses a new daemon through its variables and commands, and leaves no files', async ({env, inside}) => {
		const {exitCode, stdout, stderr} = await inside(`
			set -e
			tinbox send "$TINBOX_ADDRESS" --subject 'Your code is 4711'
			tinbox messages wait "$TINBOX_ADDRESS" --field code
			env -u TINBOX_URL -u TINBOX_API_KEY tinbox inbox list | cut -f1,3
			tinbox teams create inside
			echo "$SMTP_HOST:$SMTP_PORT $TINBOX_URL"
			test "$TINBOX_INBOX_ID" = "$(tinbox inbox show "$TINBOX_ADDRESS" --json=id | tr -d '{}"' | cut -d: -f2)"
			tinbox daemon status --json=url,smtp`);
		expect({exitCode, stderr}).toEqual({exitCode: 0, stderr: expect.stringMatching(/^Sent to \S+\.\n$/)});
		const [code, inbox, , places, state = ''] = stdout.split('\n');
		expect(code).toBe('4711');
		expect(inbox).toMatch(/^\S+@tinbox\.test\t1$/);
		const {url, smtp} = JSON.parse(state);
		expect(places).toBe(`${smtp.host}:${smtp.port} ${url}`);
		expect(await runFolders(env)).toEqual([]);
	});

	runTest('ignores variables of the environment that name other daemons', async ({env, inside}) => {
		Object.assign(env, {
			TINBOX_URL: 'http://127.0.0.1:1/v1',
			TINBOX_API_KEY: 'tbx_live_x',
			TINBOX_TOKEN: 'x',
			TINBOX_PROFILE: 'other',
			TINBOX_HOME: '/nowhere',
			TINBOX_DATA_DIR: '/nowhere',
			TINBOX_SMTP_PORT: '1',
			TINBOX_NO_START: '1',
		});
		expect(await inside('tinbox inbox list && tinbox users list')).toMatchObject({exitCode: 0, stderr: ''});
	});

	runTest('receives its flags unchanged, with and without "--" before it', async ({env}) => {
		const command = ['sh', '-c', 'echo "$@"', 'sh', '--keep', '--json', '--help', '--profile', '--', '-v'];
		for (const start of [['run'], ['run', '--'], ['--profile', 'local', 'run'], ['--profile=local', 'run', '--']]) {
			const stdout = '--keep --json --help --profile -- -v\n';
			expect(await runCli(env, [...start, ...command])).toMatchObject({exitCode: 0, stdout, stderr: ''});
		}
	});

	runTest('cannot stop or restart the daemon of the run, but can start and stop others', async ({inside}) => {
		const {exitCode, stdout, stderr} = await inside(`
			set -e
			tinbox daemon stop
			before=$(tinbox daemon status --json)
			test "$before" = "$(tinbox daemon restart --domain other.test --json)"
			tinbox inbox create --name alive >/dev/null
			export TINBOX_HOME="$TINBOX_HOME/other" TINBOX_SMTP_PORT=0 TINBOX_HTTP_PORT=0
			tinbox daemon start >/dev/null
			tinbox daemon stop`);
		const owned = expect.stringMatching(/^This daemon belongs to "tinbox run" \(process \d+\), which stops it.*\.$/);
		expect({exitCode, stdout}).toEqual({exitCode: 0, stdout: ''});
		expect(stderr.trimEnd().split('\n')).toEqual([owned, owned, 'Stopped the daemon. Its mail is kept.']);
	});

	runTest('inherits stdin, stdout and stderr', async ({env}) => {
		const result = await runCli(env, ['run', '--', 'sh', '-c', 'cat; echo talk >&2'], {input: 'data'});
		expect(result).toMatchObject({exitCode: 0, stdout: 'data', stderr: 'talk\n'});
	});
});

describe('tinbox run', () => {
	runTest('exits with the code of a failed command and keeps its mail', async ({env, inside}) => {
		const {exitCode, stdout, stderr} = await inside(
			'tinbox send "$TINBOX_ADDRESS" --subject lost 2>/dev/null; exit 42',
		);
		expect({exitCode, stdout}).toEqual({exitCode: 42, stdout: ''});
		const [, home] = /"bash" failed with exit code 42\. The mail is kept in (\S+)\.\n/.exec(stderr) ?? [];
		expect(path.basename(home ?? '')).toBe((await runFolders(env))[0]);
		const kept = {...env, TINBOX_HOME: home ?? ''};
		const {stdout: inbox} = await runCli(kept, ['inbox', 'list', '--json']);
		const {email_address} = JSON.parse(inbox).inboxes[0];
		expect((await runCli(kept, ['messages', 'list', email_address, '--json=subject'])).stdout).toBe(
			'[{"subject":"lost"}]\n',
		);
		await runCli(kept, ['daemon', 'stop']);
	});

	runTest('with --keep stores the mail in a folder that commands read without a daemon', async ({env, inside}) => {
		const folder = path.join(env['HOME'] ?? '', 'kept mail');
		const send = 'tinbox send "$TINBOX_ADDRESS" --subject Kept --text "Code: 4711" 2>/dev/null; echo $TINBOX_ADDRESS';
		const {exitCode, stdout: address, stderr} = await inside(send, '--keep', folder);
		expect({exitCode, stderr}).toEqual({
			exitCode: 0,
			stderr: `The mail is kept in ${folder}. List its inboxes: tinbox inbox list --home '${folder}'\n`,
		});
		expect(await runFolders(env)).toEqual([]);

		const moved = path.join(env['HOME'] ?? '', 'artifact');
		await rename(folder, moved);
		const read = async (...args: readonly string[]) =>
			runCli({...env, USER: 'somebody-else', LOGNAME: 'somebody-else'}, [...args, '--home', moved]);
		const done = {exitCode: 0, stderr: ''};
		const inbox = address.trim();
		expect(await read('inbox', 'list', '--json')).toMatchObject(done);
		expect(await read('inbox', 'show', inbox)).toMatchObject({...done, stdout: expect.stringContaining(inbox)});
		expect(await read('messages', 'list', inbox, '--json=subject')).toMatchObject({
			...done,
			stdout: '[{"subject":"Kept"}]\n',
		});
		expect(await read('messages', 'show', inbox, '--field', 'code')).toMatchObject({...done, stdout: '4711\n'});
		expect((await read('messages', 'raw', inbox)).stdout).toContain('Subject: Kept');
		expect(await read('messages', 'save', inbox, '--output', path.join(moved, 'kept.eml'))).toMatchObject(done);
		expect((await read('messages', 'show', inbox, '000000')).exitCode).toBe(5);
		expect((await runCli(env, ['daemon', 'status'])).exitCode).toBe(3);
		expect(existsSync(path.join(moved, 'state/daemon.json'))).toBe(false);
	});

	runTest('rejects a --keep folder that is not empty, and leaves it unchanged', async ({env, inside}) => {
		const folder = env['HOME'] ?? '';
		const before = await readdir(folder);
		expect(await inside('echo begun', '--keep', folder)).toMatchObject({
			exitCode: 2,
			stdout: '',
			stderr: expect.stringContaining(`The folder ${folder} is not empty.`),
		});
		expect(await readdir(folder)).toEqual(before);
		expect(await inside('echo begun', '--keep')).toMatchObject({exitCode: 2, stdout: ''});
		expect(await inside('echo begun', '--keep', '')).toMatchObject({
			exitCode: 2,
			stderr: expect.stringContaining('Specify a folder'),
		});
	});

	runTest('rejects a --keep folder that cannot be created', async ({env, inside}) => {
		const file = path.join(env['HOME'] ?? '', 'file');
		await writeFile(file, '');
		for (const folder of [path.join(file, 'kept'), ...(process.platform === 'linux' ? ['/proc/1/x'] : [])]) {
			expect(await inside('echo begun', '--keep', folder)).toMatchObject({
				exitCode: 1,
				stdout: '',
				stderr: expect.stringContaining(folder),
			});
		}
	});

	runTest('leaves the --keep folder empty if the command is not found', async ({env}) => {
		const folder = path.join(env['HOME'] ?? '', 'kept');
		expect((await runCli(env, ['run', '--keep', folder, 'no-such-command'])).exitCode).toBe(127);
		expect(await readdir(folder)).toEqual([]);
	});

	runTest('with --tls makes the command trust the CA of the daemon', async ({env, inside}) => {
		const {exitCode, stdout, stderr} = await inside(
			`set -e
			test -n "$REQUESTS_CA_BUNDLE$CURL_CA_BUNDLE$AWS_CA_BUNDLE$JAVA_TOOL_OPTIONS"
			cd "$TMPDIR"
			tinbox tls ca > ca.pem
			cmp ca.pem "$NODE_EXTRA_CA_CERTS"
			head -n "$(wc -l < ca.pem)" "$SSL_CERT_FILE" | cmp - ca.pem
			node -e "
				const {SMTP_TLS_PORT: port, SMTP_HOST: host} = process.env;
				require('tls').connect({host, port}, function () { console.log(this.authorized); this.end(); });"`,
			'--tls',
		);
		expect({exitCode, stdout, stderr}).toEqual({exitCode: 0, stdout: 'true\n', stderr: ''});
		expect(await runFolders(env)).toEqual([]);
	});

	runTest('with --fault applies faults to all mail, and --keep stores their hits', async ({env, inside}) => {
		const kept = path.join(env['HOME'] ?? '', 'kept');
		const script = `
			tinbox send "$TINBOX_ADDRESS" && exit 9
			tinbox faults wait --daemon mailbox-full --json=stage,reply
			tinbox faults list --daemon | cut -f1`;
		const faults = ['--fault', 'mailbox-full', '--fault', 'tls-fail'];
		const {exitCode, stdout} = await inside(script, ...faults, '--keep', kept);
		const hit = JSON.stringify({stage: 'rcpt', reply: '452 4.2.2 Mailbox full'});
		expect({exitCode, stdout}).toEqual({exitCode: 0, stdout: `${hit}\nmailbox-full\ntls-fail\n`});
		const hits = await runCli(env, ['faults', 'hits', '--daemon', '--home', kept]);
		expect(hits).toMatchObject({exitCode: 0, stdout: expect.stringContaining('answered 452 4.2.2 Mailbox full\n')});
	});

	runTest('without --tls offers TLS only if TINBOX_TLS is set', async ({env}) => {
		const port = async (tls: string) =>
			(await runCli({...env, TINBOX_TLS: tls}, ['run', 'sh', '-c', 'echo "[$SMTP_TLS_PORT]"'])).stdout;
		expect(await port('')).toBe('[]\n');
		expect(await port('offer')).toMatch(/^\[\d+\]\n$/);
	});

	runTest('with --tls fails if TINBOX_TLS disables TLS', async ({env}) => {
		expect(await runCli({...env, TINBOX_TLS: 'off'}, ['run', '--tls', 'echo', 'begun'])).toMatchObject({
			exitCode: 1,
			stdout: '',
			stderr: expect.stringContaining('TLS is disabled on this daemon.'),
		});
		expect(await runFolders(env)).toEqual([]);
	});

	runTest('deletes the mail of failed runs after a day', async ({env, inside}) => {
		await inside('exit 1');
		await inside('exit 1');
		const [old = '', young] = await runFolders(env);
		const dayAgo = (Date.now() - 25 * 60 * 60 * 1000) / 1000;
		await utimes(path.join(env['TMPDIR'] ?? '', old), dayAgo, dayAgo);
		await inside('true');
		expect(await runFolders(env)).toEqual([young]);
	});

	runTest('does not create a missing folder that --home names', async ({env}) => {
		const folder = path.join(env['HOME'] ?? '', 'none');
		expect(await runCli(env, ['messages', 'list', 'x', '--home', folder])).toMatchObject({
			exitCode: 5,
			stdout: '',
			stderr: expect.stringContaining(`No kept mail in ${folder}.`),
		});
		expect(existsSync(folder)).toBe(false);
	});

	runTest('ends by the signal that ended the command', async ({inside}) => {
		expect(await inside('kill -SEGV $$')).toMatchObject({signal: 'SIGSEGV'});
	});

	runTest.for([
		{command: 'no-such-command', exitCode: 127, message: 'Command not found: no-such-command\n'},
		{command: '/etc/passwd', exitCode: 126, message: 'Permission denied: /etc/passwd\n'},
	])(
		'exits with code $exitCode if the command $command cannot be started',
		async ({command, exitCode, message}, {env}) => {
			const result = await runCli(env, ['run', '--', command]);
			expect(result).toMatchObject({exitCode, stdout: '', stderr: message});
			expect(await runFolders(env)).toEqual([]);
		},
	);
});

describe('a signal to tinbox run', () => {
	runTest.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
		'%s is passed to the command, whose exit code ends the run',
		async (signal, {env}) => {
			const {child, ended, first} = await startRun(env, `trap 'exit 7' ${signal}; echo $$; sleep 60 & wait`);
			child.kill(signal);
			expect(await ended).toEqual([7, null]);
			expect(processBirth(Number(first))).toBeUndefined();
			expect(await runFolders(env)).toEqual([]);
		},
	);

	runTest('ends the run by that signal if the command does not handle it', async ({env}) => {
		const {child, ended} = await startRun(env, 'echo ready; exec sleep 60');
		child.kill('SIGTERM');
		expect(await ended).toEqual([null, 'SIGTERM']);
		expect(await runFolders(env)).toEqual([]);
	});

	runTest('SIGKILL also ends the daemon', async ({env}) => {
		const {child, ended, first} = await startRun(env, 'echo $TINBOX_HOME; exec sleep 1');
		const state = JSON.parse(await readFile(path.join(first, 'state/daemon.json'), 'utf8'));
		child.kill('SIGKILL');
		await ended;
		expect(processBirth(state.pid)).toBeUndefined();
		await expect(fetch(`${state.url}/health`)).rejects.toThrow('fetch failed');
	});

	runTest('SIGKILL leaves a folder that the next run deletes, without deleting kept mail', async ({env, inside}) => {
		await inside('exit 3');
		const kept = await runFolders(env);
		const [killed, alive] = await Promise.all([1, 2].map(() => startRun(env, 'echo $TINBOX_HOME; exec sleep 60')));
		killed?.child.kill('SIGKILL');
		await killed?.ended;
		expect(await runFolders(env)).toHaveLength(3);
		await inside('true');
		expect(await runFolders(env)).toEqual([...kept, path.basename(alive?.first ?? '')].sort());
	});
});

runTest('concurrent runs are isolated from each other', async ({env}) => {
	const script = `
		address=$(tinbox inbox create --address same@tinbox.test)
		tinbox send "$address" --subject "for $1" 2>/dev/null
		tinbox messages wait "$address" --json=subject
		tinbox messages list "$address" --json=subject`;
	const results = await Promise.all(
		[1, 2, 3, 4].map(number => runCli(env, ['run', '--', 'bash', '-c', script, 'bash', String(number)])),
	);
	expect(results).toEqual(
		[1, 2, 3, 4].map(number => ({
			exitCode: 0,
			signal: undefined,
			stdout: `{"subject":"for ${number}"}\n[{"subject":"for ${number}"}]\n`,
			stderr: '',
		})),
	);
	expect(await runFolders(env)).toEqual([]);
});
