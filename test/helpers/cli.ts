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

/** Runs a command line and returns its result, also if it fails. */
export type Cli = (...args: readonly string[]) => ReturnType<typeof runCli>;

/** An environment with a separate home and free ports, which isolates its daemon from other tests. */
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

/** Stops the daemon like `daemon stop`, but in this process. */
export async function endDaemon(env: Record<string, string>): Promise<void> {
	const paths = resolvePaths(env);
	// Without the lock file, no daemon was ever started.
	if (existsSync(paths.startLock)) {
		await withLock(paths.startLock, async () => {
			const running = readState(paths.stateFile);
			await (running && stopDaemon(running, {io: process, paths}));
		});
	}
}

/** A test with a separate home. Its daemon is stopped at the end. */
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
