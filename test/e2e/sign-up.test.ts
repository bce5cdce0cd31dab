import {once} from 'node:events';
import {chmod, mkdir, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {execa} from 'execa';
import {expect, onTestFinished} from 'vitest';
import {bin, type Cli, cliTest} from '../helpers/cli.js';

const sampleApp = (file: string) => fileURLToPath(new URL(`../sample-app/${file}`, import.meta.url));

/** Starts the sample app, configured to send to the daemon, and runs the script against it. */
async function signUp(cli: Cli, env: Record<string, string>, variables: Record<string, string> = {}) {
	const {smtp} = JSON.parse((await cli('daemon', 'start', '--json')).stdout);
	const commands = path.join(env['TINBOX_HOME'] ?? '', 'commands');
	await mkdir(commands);
	for (const [name, target] of [
		['tinbox', `"${process.execPath}" "${bin}"`],
		['node', `"${process.execPath}"`],
	]) {
		await writeFile(path.join(commands, `${name}`), `#!/bin/sh\nexec ${target} "$@"\n`);
		await chmod(path.join(commands, `${name}`), 0o755);
	}

	const app = execa(process.execPath, [sampleApp('app.js')], {
		extendEnv: false,
		env: {SMTP_HOST: smtp.host, SMTP_PORT: String(smtp.port), ...variables},
		reject: false,
	});
	onTestFinished(() => void app.kill());
	const [url] = await once(app.stdout, 'data');
	return execa('bash', [sampleApp('sign-up.sh')], {
		extendEnv: false,
		env: {...env, PATH: `${commands}${path.delimiter}${env['PATH']}`, APP_URL: String(url).trim(), ...variables},
		reject: false,
	});
}

cliTest('the sample script signs up with the mailed code and follows the reset link', async ({cli, env}) => {
	const {exitCode, stdout, stderr} = await signUp(cli, env);
	expect({exitCode, stdout, stderr}).toEqual({
		exitCode: 0,
		stdout: 'We have sent you a code.\nYour address is confirmed.\nWe have sent you a link.\nChoose a new password.',
		stderr: '',
	});
});

cliTest(
	'the sample script exits with code 124 and shows the near miss if the app sends a broken mail',
	async ({cli, env}) => {
		const {exitCode, stderr} = await signUp(cli, env, {BROKEN_MAIL: '1', WAIT: '1s'});
		expect(exitCode).toBe(124);
		expect(stderr).toMatch(/^No message with subject "Confirm" that has a code arrived at \S+ within 1s\.$/m);
		expect(stderr).toContain('  "Welcome, {{name}}" from hello@shop.example');
		expect(stderr).toContain('    The subject is "Welcome, {{name}}", not containing "Confirm".');
	},
);
