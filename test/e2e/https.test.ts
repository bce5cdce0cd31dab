import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect} from 'vitest';
import {cliTest, runCli} from '../helpers/cli.js';

cliTest('the command line connects over HTTPS if it trusts the CA of the daemon', async ({cli, env, home}) => {
	const {https_url: url} = JSON.parse((await cli('daemon', 'start', '--https-port', '0', '--json')).stdout);
	expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/v1$/);
	const authority = path.join(home, 'authority.pem');
	await writeFile(authority, (await cli('tls', 'ca')).stdout);
	const key = (await cli('keys', 'create', '--name', 'remote')).stdout.trim();
	const remote = {...env, TINBOX_HOME: path.join(home, 'remote'), TINBOX_URL: url, TINBOX_API_KEY: key};

	const refused = await runCli(remote, ['inbox', 'list']);
	expect(refused).toMatchObject({exitCode: 3, stdout: ''});
	expect(refused.stderr).toContain(`${url} cannot be reached: its certificate is not signed by a trusted CA.`);
	expect(refused.stderr).toContain(
		'Save the output of "tinbox tls ca" from that machine to a file, and set NODE_EXTRA_CA_CERTS=<file>.',
	);

	const trusting = {...remote, NODE_EXTRA_CA_CERTS: authority};
	const address = (await runCli(trusting, ['inbox', 'create'])).stdout.trim();
	expect(await runCli(trusting, ['inbox', 'list'])).toMatchObject({exitCode: 0, stderr: ''});
	expect((await cli('inbox', 'list')).stdout).toContain(address);

	// The URL belongs to the local daemon, for which the local user needs no key.
	const local = {...env, TINBOX_URL: url, NODE_EXTRA_CA_CERTS: authority};
	expect((await runCli(local, ['inbox', 'list'])).stdout).toContain(address);

	expect(JSON.parse((await cli('daemon', 'restart', '--json')).stdout).https_url).toBe(url);
	expect((await runCli(trusting, ['inbox', 'list'])).stdout).toContain(address);
});

cliTest('daemon start with an invalid --tls-cert fails and names the file', async ({cli, home}) => {
	const file = path.join(home, 'cert.pem');
	await writeFile(file, 'nothing');
	const started = await cli('daemon', 'start', '--tls-cert', `mail.test=${file},${file}`);
	expect(started).toMatchObject({
		exitCode: 1,
		stdout: '',
		stderr: expect.stringContaining(`${file} does not contain a certificate in PEM format`),
	});
});

cliTest('the API is served over HTTPS with --tls off', async ({cli}) => {
	const {stdout} = await cli('daemon', 'start', '--tls', 'off', '--https-port', '0', '--json');
	expect(JSON.parse(stdout)).toMatchObject({smtps: null, https_url: expect.stringMatching(/^https:/)});
	expect((await cli('tls', 'ca')).stdout).toContain('BEGIN CERTIFICATE');
});
