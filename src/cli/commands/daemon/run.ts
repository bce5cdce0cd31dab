import type {Command} from 'commander';
import type {DaemonSettings} from '../../../config/settings.js';
import {withLock} from '../../../lib/io/process-lock.js';
import {type DaemonState, readState} from '../../../runtime/state-file.js';
import {type Context, whileVariable} from '../../context.js';
import {explainListenError} from '../../control/listen-error.js';
import {removeHome} from '../../control/remove-home.js';
import {closeToOthers, settingsIn} from '../../control/settings.js';
import {Exit, exitCodes} from '../../output/exit.js';
import {describeFailure} from '../../output/failure.js';
import {addDaemonFlags, daemonFlags} from './flags.js';
import {addStateFlags, printState, type StateFlags} from './state.js';

export function addRun(daemon: Command, context: Context): void {
	const command = daemon.command('run').description('run the daemon in the foreground and log to stderr');
	addDaemonFlags(addStateFlags(command)).action(async (flags: StateFlags) => {
		const {report, env, paths} = context;
		const settings = settingsIn(env, paths, daemonFlags(flags));
		// Other users can read the arguments of a process, and one of them is a password.
		process.title = 'tinbox-daemon';
		await (report ? runLaunched(settings, report, context) : runInForeground(settings, flags, context));
	});
}

/** Launched by `daemon start`, which holds the lock and waits for the report. */
async function runLaunched(
	settings: DaemonSettings,
	report: NonNullable<Context['report']>,
	{env, paths}: Pick<Context, 'env' | 'paths'>,
): Promise<void> {
	const {TINBOX_HOME: home, [whileVariable]: owner} = env;
	try {
		const {runDaemon} = await import('../../../daemon/start.js');
		const others = owner ? {endsWith: JSON.parse(owner)} : {};
		const run = runDaemon(settings, {logFile: paths.logFile, ready: state => report({ready: state}), ...others});
		// Before the launcher is told that the start failed: others wait to try it in the same home.
		await (owner && home ? run.finally(async () => removeHome(home)) : run);
	} catch (error) {
		const explained = await explainListenError(error, settings);
		const {code, message, hint} = describeFailure(explained);
		await report({error: {code, message, hint}});
		throw explained;
	}
}

async function runInForeground(settings: DaemonSettings, printing: StateFlags, context: Context): Promise<void> {
	const {stateFile, startLock} = context.paths;
	await closeToOthers(context);
	let interrupted = false;
	const interrupt = () => {
		interrupted = true;
	};
	process.once('SIGINT', interrupt);
	const {runDaemon} = await import('../../../daemon/start.js');
	const {state, ended} = await withLock(startLock, async () => {
		assertNoneRuns(stateFile);
		return whenReady(ready => runDaemon(settings, {ready}));
	}).catch(async error => {
		throw await explainListenError(error, settings);
	});
	await printState(context, state, printing);
	await ended;
	process.off('SIGINT', interrupt);
	if (interrupted) {
		// So that a loop in the user's shell ends, too.
		process.kill(process.pid, 'SIGINT');
	}
}

type Ready = {readonly state: DaemonState; readonly ended: Promise<void>};

/** Resolves when the work calls `ready`; rejects when it fails before. */
async function whenReady(work: (ready: (state: DaemonState) => void) => Promise<void>): Promise<Ready> {
	return new Promise((resolve, reject) => {
		const ended = work(state => resolve({state, ended}));
		ended.catch(reject);
	});
}

function assertNoneRuns(stateFile: string): void {
	const running = readState(stateFile);
	if (running) {
		throw new Exit(exitCodes.failed, 'already_running', `A daemon is already running (process ${running.pid}).`, {
			hint: 'Stop it with "tinbox daemon stop". To run a second daemon, set TINBOX_HOME to another folder.',
		});
	}
}
