import {type ChildProcess, spawn} from 'node:child_process';
import {closeSync, openSync, readSync, statSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {type DaemonFlags, type DaemonSettings, defaultSettings, settingsToEnv} from '../../config/settings.js';
import {openToAppend} from '../../lib/io/files.js';
import {hostPort} from '../../lib/io/hosts.js';
import {isAlive, withLock} from '../../lib/io/process-lock.js';
import {absoluteFolders, type Paths, resolvePaths} from '../../runtime/paths.js';
import {type DaemonState, readState, removeState} from '../../runtime/state-file.js';
import {type Context, type LaunchReport, launchedVariable, whileVariable} from '../context.js';
import {Exit, exitCodes} from '../output/exit.js';
import {note} from '../output/print.js';
import {inHomeWhile} from './run-home.js';
import {assertSameSettings, chosenSettings, closeToOthers, settingsOf} from './settings.js';

/** Starts a daemon for a command that needs one, and prints a note. Throws `Exit` if `TINBOX_NO_START` is set. */
export async function autoStart(context: StartContext): Promise<DaemonState> {
	if (context.env['TINBOX_NO_START']) {
		const message = 'No tinbox daemon is running, and TINBOX_NO_START prevents starting one.';
		throw new Exit(exitCodes.noDaemon, 'no_daemon', message, {hint: 'Start a daemon: tinbox daemon start'});
	}

	const {state, isNew} = await ensureDaemon(context, {}).catch(error => {
		throw error instanceof Exit && error.exitCode === exitCodes.failed
			? new Exit(exitCodes.noDaemon, error.code, error.message, error)
			: error;
	});
	if (isNew) {
		const place = `SMTP ${hostPort(state.smtp)}, API ${state.url}`;
		note(context.io, `Started a tinbox daemon: ${place}. Stop it: tinbox daemon stop`);
	}

	return state;
}

/** Starts a daemon unless one is running. Concurrent calls start only one. */
export async function ensureDaemon(
	context: StartContext,
	flags: DaemonFlags,
	settings = chosenSettings(context, flags),
): Promise<Ensured> {
	const {stateFile, startLock} = context.paths;
	await closeToOthers(context);
	return withLock(startLock, async () => {
		const running = readState(stateFile);
		if (running) {
			assertSameSettings(running, flags);
			return {state: running, isNew: false};
		}

		return {state: await launch(context, settings), isNew: true};
	});
}

/**
 * Starts a private daemon on free ports that is removed with its home when the process `pid` exits; all calls with the same
 * process share it. TLS is off by default, as with `tinbox run`. `use` gets the paths of the home.
 */
export async function withDaemonWhile(
	pid: number,
	context: StartContext,
	flags: DaemonFlags,
	use: (state: DaemonState, paths: Paths) => Promise<void>,
): Promise<void> {
	await inHomeWhile(pid, async (home, owner) => {
		const paths = resolvePaths({TINBOX_HOME: home});
		const settings = chosenSettings(
			context,
			{smtpPort: '0', httpPort: '0', dataDir: paths.dataDir, ...flags},
			{...defaultSettings(paths.dataDir), tls: 'off'},
		);
		const env = {...context.env, TINBOX_HOME: home, [whileVariable]: JSON.stringify(owner)};
		const {state} = await ensureDaemon({...context, env, paths}, flags, settings);
		await use(state, paths);
	});
}

/** Stops the running daemon, if any, and starts a new one. Settings without a flag keep their values. */
export async function restartDaemon(context: StartContext, flags: DaemonFlags): Promise<DaemonState> {
	const {stateFile, startLock} = context.paths;
	await closeToOthers(context);
	return withLock(startLock, async () => {
		const running = readState(stateFile);
		const settings = chosenSettings(context, flags, running && settingsOf(running));
		if (running) {
			await stopDaemon(running, context);
		}

		return launch(context, settings);
	});
}

const startTimeoutMs = 60_000;

/** Size of the thread pool for files and DNS. Large enough that slow DNS lookups do not block file access. */
const threadPoolSize = '16';

/** Launches a daemon that outlives this process. Returns when its listeners are ready. */
async function launch({env, paths}: Pick<Context, 'env' | 'paths'>, settings: DaemonSettings): Promise<DaemonState> {
	const report = await waitForReport(spawnDaemon(env, paths, settings), paths);
	if ('ready' in report) {
		return report.ready;
	}

	// Another process started a daemon in the meantime.
	const running = readState(paths.stateFile);
	if (running) {
		return running;
	}

	const {code, message, hint} = report.error;
	throw new Exit(exitCodes.failed, code, message, {hint});
}

/** Spawns a detached daemon. Settings are passed in the environment, which other users cannot read. */
function spawnDaemon(env: NodeJS.ProcessEnv, paths: Paths, settings: DaemonSettings): ChildProcess {
	const folder = path.dirname(paths.stateFile);
	const log = openToAppend(paths.logFile);
	try {
		return spawn(process.execPath, [createRequire(import.meta.url).resolve('#bin'), 'daemon', 'run'], {
			detached: true,
			// With an inherited stdout, `$(tinbox daemon start)` would wait until the daemon exits.
			stdio: ['ignore', log, log, 'ipc'],
			cwd: folder,
			windowsHide: true,
			env: {
				UV_THREADPOOL_SIZE: threadPoolSize,
				...env,
				...settingsToEnv(settings),
				[launchedVariable]: '1',
				...absoluteFolders(env),
			},
		});
	} finally {
		closeSync(log);
	}
}

/** Startup report of the daemon, or an error report if it exits or times out without one. */
async function waitForReport(child: ChildProcess, {logFile}: Paths): Promise<LaunchReport> {
	const reported = new Promise<LaunchReport>(resolve => {
		child.once('message', (message: LaunchReport) => resolve(message));
		child.once('error', error => resolve(startFailure(`could not be started: ${error.message}.`)));
		const failSilently = () => {
			const log = lastLines(logFile, 5) ?? [];
			resolve(startFailure(`exited during startup. Last lines of its log:\n${log.join('\n')}`));
		};
		// The report may arrive after the exit event.
		child.once('exit', () => (child.connected ? child.once('disconnect', failSilently) : failSilently()));
	});
	const timeout = sleep(startTimeoutMs, undefined, {ref: false}).then(() => {
		child.kill('SIGKILL');
		return startFailure(`was not ready within ${startTimeoutMs / 1000} s.`);
	});
	const report = await Promise.race([reported, timeout]);
	if (child.connected) {
		child.disconnect();
	}

	child.unref();
	return report;
}

function startFailure(what: string): LaunchReport {
	return {error: {code: 'start_failed', message: `The daemon ${what}`, hint: 'See the log: tinbox daemon logs'}};
}

type StartContext = Pick<Context, 'io' | 'env' | 'paths'>;

/** Running daemon; `isNew` if this call started it. */
type Ensured = {readonly state: DaemonState; readonly isNew: boolean};

/** Timeout for a graceful stop; longer than a webhook attempt (15 s). */
const stopTimeoutMs = 20_000;

const exitPollMs = 20;

/** Stops the daemon gracefully and waits for its exit. Kills it after the timeout. */
export async function stopDaemon(
	state: DaemonState,
	{io, paths}: Pick<Context, 'io' | 'paths'>,
	timeoutMs = stopTimeoutMs,
): Promise<void> {
	signal(state, 'SIGTERM');
	if (!(await waitForExit(state, timeoutMs))) {
		note(io, `The daemon (process ${state.pid}) did not stop within ${timeoutMs / 1000} s. Killing it.`);
		signal(state, 'SIGKILL');
		await waitForExit(state, timeoutMs);
	}

	await removeState(paths.stateFile, state);
}

/** Signals the daemon, unless its pid now belongs to another process. */
function signal(state: DaemonState, name: NodeJS.Signals): void {
	if (isAlive(state)) {
		process.kill(state.pid, name);
	}
}

async function waitForExit(state: DaemonState, withinMs: number): Promise<boolean> {
	const deadline = performance.now() + withinMs;
	while (isAlive(state)) {
		if (performance.now() > deadline) {
			return false;
		}

		await sleep(exitPollMs);
	}

	return true;
}

/** Maximum number of bytes at the end of a log that are searched for lines. */
const maxTailBytes = 1024 * 1024;

const logPollMs = 100;

/** Reads the last lines of a log. Returns undefined if there is no log. */
export function lastLines(file: string, count: number): readonly string[] | undefined {
	const {size} = fileStat(file);
	return readRange(file, Math.max(0, size - maxTailBytes), size)
		?.replace(/\n$/, '')
		.split('\n')
		.slice(-count);
}

/** Yields new lines of a log, across rotations, until the signal aborts. */
export async function* followLog(file: string, signal: AbortSignal): AsyncGenerator<string> {
	const previous = `${file}.1`;
	let known = {log: fileStat(file), previous: fileStat(previous)};
	let rest = '';
	while (!signal.aborted) {
		const found = {log: fileStat(file), previous: fileStat(previous)};
		const isNewFile = found.log.ino !== known.log.ino || found.log.size < known.log.size;
		const isMoved = isNewFile && found.previous.ino !== known.previous.ino;
		const missed = isMoved ? readRange(previous, known.log.size, found.previous.size) : undefined;
		const added = readRange(file, isNewFile ? 0 : known.log.size, found.log.size);
		const lines = [rest, missed, added].join('').split('\n');
		rest = lines.pop() ?? '';
		known = found;
		yield* lines;
		await sleep(logPollMs, undefined, {signal}).catch(() => {});
	}
}

function fileStat(file: string): {readonly ino: number; readonly size: number} {
	return statSync(file, {throwIfNoEntry: false}) ?? {ino: 0, size: 0};
}

/** Reads a byte range. Returns undefined if there is no log. */
function readRange(file: string, from: number, to: number): string | undefined {
	let log: number;
	try {
		log = openSync(file, 'r');
	} catch {
		return undefined;
	}

	try {
		const bytes = Buffer.alloc(Math.max(0, to - from));
		return bytes.toString('utf8', 0, readSync(log, bytes, 0, bytes.length, from));
	} finally {
		closeSync(log);
	}
}
