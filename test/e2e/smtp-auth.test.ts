import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {expect, onTestFinished} from 'vitest';
import {bin, cliTest} from '../helpers/cli.js';

const login = 'ann:hunter2-secret';

cliTest('the login for SMTP is printed nowhere', async ({cli}) => {
	const said = [
		await cli('daemon', 'start', '--smtp-auth', login),
		await cli('daemon', 'start', '--smtp-auth', 'ann:hunter2-other', '--domain', 'other.test'),
		await cli('daemon', 'status'),
		await cli('daemon', 'status', '--json'),
		await cli('daemon', 'status', '--format', 'env'),
		await cli('daemon', 'restart', '--smtp-auth', login),
		await cli('daemon', 'start', '--smtp-auth', 'hunter2'),
		await cli('daemon', 'logs', '-n', '1000'),
		await cli('doctor'),
	];
	expect(said[1]?.stderr).toContain('without --domain other.test --smtp-auth <user:password>.');
	expect(said.map(({stdout, stderr}) => stdout + stderr).join('')).not.toContain('hunter2');
	const {pid} = JSON.parse((await cli('daemon', 'status', '--json')).stdout);
	if (process.platform === 'linux') {
		expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('hunter2');
	}
});

cliTest.skipIf(process.platform !== 'linux')(
	'nor does a process show it that was given it as a flag',
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
