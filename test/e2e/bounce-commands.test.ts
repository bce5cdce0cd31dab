import {expect} from 'vitest';
import {cliTest} from '../helpers/cli.js';

cliTest('the messages commands send bounces, complaints and auto-replies', async ({cli}) => {
	await cli('inbox', 'create', '--name', 'app', '--address', 'app@shop.test');
	await cli('inbox', 'create', '--name', 'user', '--address', 'user@box.test');
	await cli('send', 'user', '--from', 'app@shop.test', '--subject', 'Welcome');
	expect(await cli('messages', 'bounce', 'user', '--status', '5.2.2')).toMatchObject({
		exitCode: 0,
		stdout: '',
		stderr: 'Sent to app@shop.test.\n',
	});
	const waited = await cli('messages', 'wait', 'app', '--subject', 'Undelivered', '--field', 'text');
	expect(waited.stdout).toContain('<user@box.test>: 550 5.2.2 Mailbox full');
	const complaint = await cli('messages', 'complain', 'user', '--json');
	expect(JSON.parse(complaint.stdout)).toMatchObject({kind: 'complaint', sender: 'app@shop.test', status: null});
	expect((await cli('messages', 'autoreply', 'user', 'latest', '--json=kind')).stdout).toBe('{"kind":"autoreply"}\n');
	expect((await cli('messages', 'list', 'app', '--json=subject')).stdout).toBe(
		'[{"subject":"Auto: Welcome"},{"subject":"Complaint about: Welcome"},{"subject":"Undelivered Mail Returned to Sender"}]\n',
	);
	expect(await cli('messages', 'bounce', 'app')).toMatchObject({
		exitCode: 1,
		stderr: 'The envelope sender of the message is <>, which never gets bounces, complaints or replies.\n',
	});
	expect(await cli('messages', 'bounce', 'user', '--status', '3.1.1')).toMatchObject({exitCode: 2});
	expect(await cli('messages', 'bounce', 'user', '--to', 'smtp://127.0.0.1:1')).toMatchObject({
		exitCode: 1,
		stderr: expect.stringContaining('smtp://127.0.0.1:1 did not accept the mail: '),
	});
	expect((await cli('messages', 'bounce', 'user', '--recipient', 'a@b.test')).stderr).toBe(
		'--recipient names a@b.test, which is not a recipient of the message.\n',
	);
	const twoDays = ['--bounce', '5.1.1', '--bounce-after', '48h'];
	expect((await cli('inbox', 'update', 'user', ...twoDays)).stderr).toContain('It must be a duration of at most 1d');
	expect(await cli('inbox', 'update', 'user', '--bounce-after', '5s')).toMatchObject({exitCode: 2});
	expect(await cli('inbox', 'create', '--simulator')).toMatchObject({
		exitCode: 2,
		stderr: expect.stringContaining('--simulator requires the address "*@domain" or an address that begins with'),
	});
});

cliTest('a scheduled bounce is sent after the daemon was killed and restarted', async ({cli}) => {
	const start = async (): Promise<number> => JSON.parse((await cli('daemon', 'start', '--json=pid')).stdout).pid;
	const pid = await start();
	await cli('inbox', 'create', '--name', 'app', '--address', 'app@shop.test');
	await cli(
		'inbox',
		'create',
		'--name',
		'user',
		'--address',
		'user@box.test',
		'--bounce',
		'5.1.1',
		'--bounce-after',
		'4s',
	);
	expect((await cli('inbox', 'show', 'user')).stdout).toContain('bounce\t{"status":"5.1.1","delay_ms":4000}\n');
	await cli('send', 'user', '--from', 'app@shop.test', '--subject', 'Welcome');
	process.kill(pid, 'SIGKILL');
	await start();
	const {exitCode, stdout} = await cli('messages', 'wait', 'app', '--timeout', '30s', '--field', 'subject');
	expect({exitCode, stdout}).toEqual({exitCode: 0, stdout: 'Undelivered Mail Returned to Sender\n'});
	expect(await cli('inbox', 'update', 'user', '--no-bounce', '--json=bounce')).toMatchObject({
		stdout: '{"bounce":null}\n',
	});
});
