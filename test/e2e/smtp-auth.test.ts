import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {expect, onTestFinished, vi} from 'vitest';
import {bin, cliTest, endDaemon, runCli} from '../helpers/cli.js';
import {tinboxOnPath} from '../helpers/tinbox-on-path.js';

const login = 'ann:hunter2-secret';

cliTest('the SMTP password is never printed or logged', async ({cli}) => {
	const results = [
		await cli('daemon', 'start', '--smtp-auth', login),
		await cli('daemon', 'start', '--smtp-auth', 'ann:hunter2-other', '--domain', 'other.test'),
		await cli('daemon', 'status'),
		await cli('daemon', 'status', '--json'),
		await cli('daemon', 'restart', '--smtp-auth', login),
		await cli('daemon', 'start', '--smtp-auth', 'hunter2'),
		await cli('daemon', 'logs', '-n', '1000'),
		await cli('doctor'),
	];
	expect(results[1]?.stderr).toContain('without --domain other.test --smtp-auth <any|inbox|user:password>.');
	expect(results.map(({stdout, stderr}) => stdout + stderr).join('')).not.toContain('hunter2');
	const {pid} = JSON.parse((await cli('daemon', 'status', '--json')).stdout);
	if (process.platform === 'linux') {
		expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('hunter2');
	}
});

cliTest('send and doctor use the SMTP login of the daemon, and --format env exports it', async ({env, cli}) => {
	await cli('daemon', 'start', '--smtp-auth', login);
	const {stdout: exported} = await cli('daemon', 'status', '--format', 'env');
	expect(exported).toMatch(/^export SMTP_USER=ann\nexport SMTP_PASSWORD=hunter2-secret$/m);
	await cli('inbox', 'create', '--name', 'signup');
	expect(await cli('send', 'signup')).toMatchObject({exitCode: 0});
	expect(await cli('doctor', '--json')).toMatchObject({exitCode: 0});
	const [, url = ''] = /TINBOX_URL=(\S+)/.exec(exported) ?? [];
	const [, key = ''] = /TINBOX_API_KEY=(\S+)/.exec(exported) ?? [];
	const elsewhere = {...env, TINBOX_HOME: `${env['HOME']}/other`, TINBOX_URL: url, TINBOX_API_KEY: key};
	expect(await runCli(elsewhere, ['send', 'signup'])).toMatchObject({exitCode: 0});
	expect(await runCli(elsewhere, ['send', 'signup', '--user', 'ann:wrong'])).toMatchObject({
		exitCode: 1,
		stderr: expect.stringMatching(/^The SMTP server at \S+ replied: 535 /),
	});
});

cliTest(
	'send and doctor log in as the recipient inbox over TLS with --smtp-auth inbox --auth-needs-tls',
	async ({cli}) => {
		await cli('daemon', 'start', '--smtp-auth', 'inbox', '--auth-needs-tls');
		await cli('inbox', 'create', '--name', 'signup');
		await cli('inbox', 'create', '--name', 'billing');
		expect(await cli('send', 'signup', 'billing')).toMatchObject({exitCode: 0});
		for (const name of ['signup', 'billing']) {
			const {id} = JSON.parse((await cli('inbox', 'show', name, '--json')).stdout);
			const [message] = JSON.parse((await cli('messages', 'list', name, '--json')).stdout);
			expect(message.session.auth.user).toBe(id);
		}

		expect(await cli('doctor', '--json')).toMatchObject({exitCode: 0});
		expect((await cli('send', 'nobody@tinbox.test')).exitCode).toBe(5);
	},
);

cliTest('a daemon does not start with settings that allow no client to log in', async ({cli}) => {
	expect(await cli('daemon', 'start', '--auth-needs-tls', '--tls', 'off')).toMatchObject({
		exitCode: 1,
		stderr: expect.stringContaining('With --auth-needs-tls and --tls off, no client can log in.'),
	});
});

cliTest('the SMTP credentials of an inbox are valid until they are rotated', async ({env, cli}) => {
	const {stdout} = await cli('inbox', 'create', '--name', 'signup', '--format', 'env');
	const variables = Object.fromEntries(
		[...stdout.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
	);
	expect(Object.keys(variables)).toEqual([
		'SMTP_HOST',
		'SMTP_PORT',
		'SMTP_TLS_PORT',
		'SMTP_USER',
		'SMTP_PASSWORD',
		'SMTP_URL',
		'MAILER_DSN',
		'TINBOX_SEND_KEY',
		'RESEND_BASE_URL',
		'RESEND_API_URL',
		'RESEND_API_KEY',
		'AWS_ENDPOINT_URL_SES',
		'AWS_ENDPOINT_URL_SESV2',
		'TINBOX_SENDGRID_URL',
		'TINBOX_POSTMARK_URL',
		'TINBOX_MAILGUN_URL',
	]);
	const send = async () => {
		const {SMTP_USER: user, SMTP_PASSWORD: password} = variables;
		return runCli(env, ['send', 'customer@shop.example', '--user', `${user}:${password}`]);
	};
	expect(await send()).toMatchObject({exitCode: 0});
	expect((await cli('messages', 'wait', 'signup', '--to', 'customer@shop.example')).exitCode).toBe(0);
	const {password} = JSON.parse((await cli('inbox', 'credentials', 'signup', '--rotate', '--json')).stdout);
	expect(await send()).toMatchObject({
		exitCode: 1,
		stderr: expect.stringMatching(/^The SMTP server at \S+ replied: 535 5\.7\.8 /),
	});
	variables['SMTP_PASSWORD'] = password;
	expect(await send()).toMatchObject({exitCode: 0});
	const late = await cli('messages', 'wait', 'signup', '--subject', 'nothing', '--timeout', '0s');
	expect(late.stderr).toContain('wrong password for this inbox');
});

cliTest('tinbox run exports the login of its first inbox with TINBOX_SMTP_AUTH=inbox', async ({env}) => {
	const script =
		'tinbox send customer@shop.example --user "$SMTP_USER:$SMTP_PASSWORD" && echo "$SMTP_USER $TINBOX_INBOX_ID"';
	const inside = await tinboxOnPath(env['HOME'] ?? '', {...env, TINBOX_SMTP_AUTH: 'inbox'});
	const {stdout, exitCode} = await runCli(inside, ['run', '--', 'bash', '-c', script]);
	const [user, id] = stdout.trim().split(' ');
	expect([exitCode, user]).toEqual([0, id]);
});

cliTest('send uses SMTP_HOST and SMTP_PORT if the API does not respond', async ({env, cli}) => {
	const {stdout} = await cli('inbox', 'create');
	const {smtp} = JSON.parse((await cli('daemon', 'status', '--json')).stdout);
	const smtpServer = {SMTP_HOST: smtp.host, SMTP_PORT: String(smtp.port)};
	const unreachableApi = {...env, TINBOX_URL: 'http://127.0.0.1:1/v1', TINBOX_API_KEY: 'tbx_live_x'};
	expect(await runCli(unreachableApi, ['send', stdout.trim()])).toMatchObject({exitCode: 3});
	expect(await runCli({...unreachableApi, ...smtpServer}, ['send', stdout.trim()])).toMatchObject({exitCode: 0});
});

cliTest('a daemon on 0.0.0.0 reports 127.0.0.1 as its SMTP host', async ({cli}) => {
	await cli('daemon', 'start', '--host', '0.0.0.0');
	expect((await cli('daemon', 'status', '--format', 'env')).stdout).toContain('SMTP_HOST=127.0.0.1\n');
	expect(JSON.parse((await cli('daemon', 'status', '--json')).stdout).smtp.host).toBe('127.0.0.1');
	expect(await cli('doctor', '--json')).toMatchObject({exitCode: 0});
});

cliTest.skipIf(process.platform !== 'linux')(
	'a foreground daemon hides the SMTP password from its command line',
	async ({env}) => {
		const child = spawn(process.execPath, [bin, 'daemon', 'run', '--smtp-auth', login], {
			env,
			stdio: ['ignore', 'pipe', 'ignore'],
		});
		const ended = once(child, 'exit');
		onTestFinished(async () => {
			child.kill('SIGTERM');
			await ended;
		});
		await once(createInterface(child.stdout), 'line');
		expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')).toMatch(/^tinbox-daemon\0*$/);
	},
);

cliTest.skipIf(process.platform !== 'linux')(
	'"tinbox daemon start" hides flags with a secret from the process list while it runs',
	async ({env}) => {
		for (const [flag, value] of [
			['--smtp-auth', login],
			['--api-key', 'tbx_hunter2_0123456789abcdef'],
			['--store', 'postgres://ann:hunter2@127.0.0.1:1/none'],
		] as const) {
			const child = spawn(process.execPath, [bin, 'daemon', 'start', flag, value], {env, stdio: 'ignore'});
			const ended = once(child, 'exit');
			const commandLine = () => readFileSync(`/proc/${child.pid}/cmdline`, 'utf8');
			await vi.waitUntil(() => !commandLine().includes('hunter2'), {interval: 1});
			// A process that has ended has an empty command line.
			expect(commandLine(), flag).toMatch(/^tinbox\0*$/);
			await ended;
			await endDaemon(env);
		}
	},
);
