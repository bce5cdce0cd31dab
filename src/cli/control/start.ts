import {type ChildProcess, spawn} from 'node:child_process';
import {closeSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {type DaemonFlags, type DaemonSettings, defaultSettings, settingsToEnv} from '../../config/settings.js';
import {openToAppend} from '../../lib/io/files.js';
import {hostPort} from '../../lib/io/hosts.js';
import {withLock} from '../../lib/io/process-lock.js';
import {absoluteFolders, type Paths, resolvePaths} from '../../runtime/paths.js';
import {type DaemonState, readState} from '../../runtime/state-file.js';
import {type Context, type LaunchReport, launchedVariable, whileVariable} from '../context.js';
import {Exit, exitCodes} from '../output/exit.js';
import {note} from '../output/print.js';
import {lastLines} from './read-log.js';
import {inHomeWhile} from './run-home.js';
import {assertSameSettings, chosenSettings, closeToOthers, settingsOf} from './settings.js';
import {stopDaemon} from './stop.js';

const startTimeoutMs = 60_000;

/** Of the daemon, for files and for the names of receivers: some that are never found leave the others enough. */
const threads = '16';

/** Launches a daemon that outlives this process, and returns when it is ready: both of its listeners answer. */
async function launch({env, paths}: Pick<Context, 'env' | 'paths'>, settings: DaemonSettings): Promise<DaemonState> {
	const report = await reportOf(spawnDaemon(env, paths, settings), paths);
	if ('ready' in report) {
		return report.ready;
	}

	// Another process was faster: its daemon serves as well.
	const running = readState(paths.stateFile);
	if (running) {
		return running;
	}

	const {code, message, hint} = report.error;
	throw new Exit(exitCodes.failed, code, message, {hint});
}

/** Settings are passed in the environment, which other users cannot read. */
function spawnDaemon(env: NodeJS.ProcessEnv, paths: Paths, settings: DaemonSettings): ChildProcess {
	const folder = path.dirname(paths.stateFile);
	const log = openToAppend(paths.logFile);
	try {
		return spawn(process.execPath, [createRequire(import.meta.url).resolve('#bin'), 'daemon', 'run'], {
			detached: true,
			// Our own output would keep `$(tinbox daemon start)` waiting for as long as the daemon lives.
			stdio: ['ignore', log, log, 'ipc'],
			cwd: folder,
			windowsHide: true,
			env: {
				UV_THREADPOOL_SIZE: threads,
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

/** The daemon's report of its start, or one made here when it dies or hangs without a report. */
async function reportOf(child: ChildProcess, {logFile}: Paths): Promise<LaunchReport> {
	const said = new Promise<LaunchReport>(resolve => {
		child.once('message', (message: LaunchReport) => resolve(message));
		child.once('error', error => resolve(failed(`could not be started: ${error.message}.`)));
		const silent = () => {
			const log = lastLines(logFile, 5) ?? [];
			resolve(failed(`exited during startup. Last lines of its log:\n${log.join('\n')}`));
		};
		// Its report may arrive after its exit.
		child.once('exit', () => (child.connected ? child.once('disconnect', silent) : silent()));
	});
	const late = sleep(startTimeoutMs, undefined, {ref: false}).then(() => {
		child.kill('SIGKILL');
		return failed(`was not ready within ${startTimeoutMs / 1000} s.`);
	});
	const report = await Promise.race([said, late]);
	if (child.connected) {
		child.disconnect();
	}

	child.unref();
	return report;
}

function failed(what: string): LaunchReport {
	return {error: {code: 'start_failed', message: `The daemon ${what}`, hint: 'See the log: tinbox daemon logs'}};
}

type Needs = Pick<Context, 'io' | 'env' | 'paths'>;

/** A daemon that runs, and whether it was started for this. */
type Ensured = {readonly state: DaemonState; readonly isNew: boolean};

/** Starts a daemon unless one runs. Of many starts at once, one does the work and the others find its daemon. */
export async function ensureDaemon(
	context: Needs,
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
 * The same with a daemon of its own, on free ports, that ends with this process and leaves nothing: one for all who name it. It speaks no
 * TLS unless it is set to, as that of `tinbox run`. `use` gets the paths of its home; what it makes there goes as well.
 */
export async function withDaemonWhile(
	pid: number,
	context: Needs,
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

/** Replaces the running daemon, if any, by a new one; settings without a flag stay as they were. */
export async function restartDaemon(context: Needs, flags: DaemonFlags): Promise<DaemonState> {
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

/** Starts a daemon for a command that needs one, and says so; `TINBOX_NO_START` forbids it. */
export async function autoStart(context: Needs): Promise<DaemonState> {
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
