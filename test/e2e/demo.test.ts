import path from 'node:path';
import {execa} from 'execa';
import {expect, test} from 'vitest';
import {ownEnv} from '../helpers/cli.js';
import {tempDir} from '../helpers/temp-dir.js';

test('npm run demo receives a mail and prints its code', async () => {
	const demo = path.resolve('bin/demo.js');
	const {stdout} = await execa(process.execPath, [demo], {env: ownEnv(await tempDir()), extendEnv: false});
	const [, code] = /--field code\n.*\n(\d{6})\n/.exec(stdout) ?? [];
	expect(stdout).toContain(`Your verification code is ${code}.`);
});
