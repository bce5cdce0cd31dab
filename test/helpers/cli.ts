import {existsSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {execa, type Options} from 'execa';
import {test} from 'vitest';
import {stopDaemon} from '../../src/cli/control/start.js';
import {withLock} from '../../src/lib/io/process-lock.js';
import {resolvePaths} from '../../src/runtime/paths.js';
import {readState} from '../../src/runtime/state-file.js';
import {tempDir} from './temp-dir.js';

/** The built binary. */
export const bin = fileURLToPath(new URL('../../bin/tinbox.js', import.meta.url));

/** Runs a command line to its end, whatever that is. */
export type Cli = (...args: readonly string[]) => ReturnType<typeof runCli>;

/** The environment of a tinbox of its own: no other test sees its daemon, and its ports are free ones. */
export function ownEnv(home: string): Record<string, string> {
	return {
		PATH: process.env['PATH'] ?? '',
		HOME: home,
		TINBOX_HOME: home,
		TINBOX_SMTP_PORT: '0',
		TINBOX_HTTP_PORT: '0',
	};
}

export async function runCli(env: Record<string, string>, args: readonly string[], options: Options = {}) {
	const {exitCode, signal, stdout, stderr} = await execa(process.execPath, [bin, ...args], {
		reject: false,
		extendEnv: false,
		env,
		stripFinalNewline: false,
		...options,
	});
	return {exitCode, signal, stdout: String(stdout), stderr: String(stderr)};
}

/** Runs a bash script in which `tinbox` is the built binary. */
export async function runScript(env: Record<string, string>, script: string) {
	const {exitCode, signal, stdout, stderr} = await execa(
		'bash',
		['-c', `tinbox() { "$NODE" "$BIN" "$@"; }\n${script}`],
		{
			reject: false,
			extendEnv: false,
			env: {...env, NODE: process.execPath, BIN: bin},
		},
	);
	return {exitCode, signal, stdout, stderr};
}

/** As `daemon stop` does, without another process. */
export async function endDaemon(env: Record<string, string>): Promise<void> {
	const paths = resolvePaths(env);
	// Where there is no lock, no daemon was ever started.
	if (existsSync(paths.startLock)) {
		await withLock(paths.startLock, async () => {
			const running = readState(paths.stateFile);
			await (running && stopDaemon(running, {io: process, paths}));
		});
	}
}

/** A test with a home of its own; a daemon that it leaves behind is stopped. */
export const cliTest = test.extend<{home: string; env: Record<string, string>; cli: Cli}>({
	// biome-ignore lint/correctness/noEmptyPattern: vitest reads the pattern
	home: async ({}, use) => use(await tempDir()),
	env: async ({home}, use) => {
		const env = ownEnv(home);
		await use(env);
		await endDaemon(env);
	},
	cli: async ({env}, use) => use((...args) => runCli(env, args)),
});
