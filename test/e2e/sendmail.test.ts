import {execFileSync} from 'node:child_process';
import {symlink} from 'node:fs/promises';
import path from 'node:path';
import {execa} from 'execa';
import {expect} from 'vitest';
import {bin, cliTest, runCli} from '../helpers/cli.js';

cliTest('tinbox called through a symbolic link named sendmail acts as sendmail', async ({home, env, cli}) => {
	const address = (await cli('inbox', 'create')).stdout.trim();
	const link = path.join(home, 'sendmail');
	await symlink(bin, link);
	const {exitCode, stderr} = await execa(link, ['-t', '-oi'], {env, input: `To: ${address}\nSubject: By link\n\n.\n`});
	expect({exitCode, stderr}).toEqual({exitCode: 0, stderr: ''});
	expect((await cli('messages', 'list', address, '--json=subject')).stdout).toBe('[{"subject":"By link"}]\n');
	expect((await execa(link, ['-bp'], {env})).stdout).toContain('Mail queue is empty');
});

cliTest('sendmail exits with EX_TEMPFAIL (75) if no daemon is available', async ({env}) => {
	const ended = await runCli({...env, TINBOX_NO_START: '1'}, ['sendmail', 'ann@example.com'], {input: 'Hi\n'});
	expect(ended).toMatchObject({exitCode: 75, stdout: ''});
});

cliTest.skipIf(!hasPhp())('the mail function of PHP delivers through tinbox sendmail', async ({env, cli}) => {
	const address = (await cli('inbox', 'create')).stdout.trim();
	const php = `exit(mail('${address}', 'Grüße', "Hello\\n.\\nthere", 'From: shop@example.com', '-fbounce@example.com') ? 0 : 1);`;
	const path = `sendmail_path=${process.execPath} ${bin} sendmail -t -i`;
	expect((await execa('php', ['-d', path, '-r', php], {env, reject: false})).exitCode).toBe(0);
	const [message] = JSON.parse((await cli('messages', 'list', address, '--json')).stdout);
	expect(message).toMatchObject({
		subject: 'Grüße',
		from: 'shop@example.com',
		text: 'Hello\n.\nthere\n',
		envelope: {from: 'bounce@example.com', to: [address]},
	});
});

function hasPhp(): boolean {
	try {
		execFileSync('php', ['-v'], {stdio: 'ignore'});
		return true;
	} catch {
		return false;
	}
}
