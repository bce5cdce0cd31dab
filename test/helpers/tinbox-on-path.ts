import {chmod, mkdir, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {bin} from './cli.js';

/** Adds a `tinbox` command for the built program and a temporary folder, both in `home`, to the environment. */
export async function tinboxOnPath(home: string, env: Record<string, string>): Promise<Record<string, string>> {
	const commands = path.join(home, 'bin');
	const temporary = path.join(home, 'tmp');
	await mkdir(commands, {recursive: true});
	await mkdir(temporary, {recursive: true});
	const command = path.join(commands, 'tinbox');
	await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
	await chmod(command, 0o755);
	return {...env, PATH: `${commands}:${env['PATH']}`, TMPDIR: temporary};
}
