import {type ChildProcess, spawn} from 'node:child_process';
import {closeSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {type DaemonSettings, settingsToEnv} from '../../config/settings.js';
import {openToAppend} from '../../lib/io/files.js';
import {absoluteFolders, type Paths} from '../../runtime/paths.js';
import {type DaemonState, readState} from '../../runtime/state-file.js';
import {type Context, type LaunchReport, launchedVariable} from '../context.js';
import {Exit, exitCodes} from '../output/exit.js';
import {lastLines} from './read-log.js';

const startTimeoutMs = 60_000;

/** Of the daemon, for files and for the names of receivers: some that are never found leave the others enough. */
const threads = '16';

/** Launches a daemon that outlives this process, and returns when it is ready: both of its listeners answer. */
export async function launch(
	{env, paths}: Pick<Context, 'env' | 'paths'>,
	settings: DaemonSettings,
): Promise<DaemonState> {
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
