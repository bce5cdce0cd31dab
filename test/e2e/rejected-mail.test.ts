import {expect} from 'vitest';
import {cliTest} from '../helpers/cli.js';

cliTest('rejected mail is reported by a wait timeout, the log and doctor', async ({cli}) => {
	const address = (await cli('inbox', 'create')).stdout.trim();
	expect((await cli('send', 'typo@tinbox.test')).stderr).toContain('<typo@tinbox.test>: no such inbox');
	const {exitCode, stderr} = await cli('messages', 'wait', address, '--timeout', '100ms');
	expect(exitCode).toBe(124);
	expect(stderr).toContain('1 mail was rejected recently: RCPT <typo@tinbox.test>: no such inbox\n');
	expect((await cli('daemon', 'logs')).stdout).toContain('"msg":"Rejected RCPT <typo@tinbox.test>: no such inbox"');
	const {checks} = JSON.parse((await cli('doctor', '--json')).stdout);
	expect(checks).toContainEqual({
		name: 'refusals',
		result: 'ok',
		detail: expect.stringMatching(/^1 in the last hour, most recent .*: RCPT <typo@tinbox\.test>: no such inbox$/),
	});
});
