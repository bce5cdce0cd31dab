import path from 'node:path';
import {execa} from 'execa';
import {describe, expect, test} from 'vitest';
import {bin, ownEnv} from '../helpers/cli.js';
import {tempDir} from '../helpers/temp-dir.js';

const script = (name: string) => path.join(import.meta.dirname, '../compat/clients', name);

/** `npm run test:clients` runs all clients. */
const clients = ['nodemailer', 'curl'];

async function runNode(args: readonly string[], settings: NodeJS.ProcessEnv = {}) {
	const home = await tempDir();
	const env = {...ownEnv(home), TMPDIR: home, ...settings};
	const {exitCode, stdout, stderr} = await execa(process.execPath, args, {env, extendEnv: false, reject: false});
	return {exitCode, lines: stdout.split('\n'), stderr};
}

describe('test:clients', {timeout: 120_000}, () => {
	test('passes for clients that verify certificates', async () => {
		const {exitCode, lines, stderr} = await runNode([script('run.js'), ...clients]);
		expect({exitCode, lines, stderr}).toEqual({exitCode: 0, lines: expect.any(Array), stderr: ''});
		for (const line of lines) {
			expect(line).toMatch(
				/^\w+: (?:2 of 2 verified, 10 wrong names refused, 10 taken unverified|skipped: .*ENOENT.*)$/,
			);
		}
	});

	test('fails for a client that does not trust the CA of the daemon', async () => {
		const args = [bin, 'run', '--', process.execPath, script('deliver.js'), 'nodemailer'];
		const {exitCode, lines} = await runNode(args, {TINBOX_TLS: 'offer'});
		expect(exitCode).toBe(1);
		expect(lines).toContain('nodemailer: 0 of 2 verified, 10 wrong names refused, 10 taken unverified');
	});
});
