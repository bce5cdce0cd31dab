import {type Command, InvalidArgumentError, Option} from 'commander';
import {nodeFields} from '../../../contract/field-names.js';
import {withLock} from '../../../lib/io/process-lock.js';
import type {Paths} from '../../../runtime/paths.js';
import {type DaemonState, readState} from '../../../runtime/state-file.js';
import type {Context} from '../../context.js';
import {ensureDaemon, restartDaemon, withDaemonWhile} from '../../control/start.js';
import {stopDaemon} from '../../control/stop.js';
import {untilSignal} from '../../control/until-signal.js';
import {addHelpNote} from '../../help/layout.js';
import {Exit, exitCodes} from '../../output/exit.js';
import {note} from '../../output/print.js';
import {addDaemonFlags, daemonFlags} from './flags.js';
import {addLogs} from './logs.js';
import {printNodes} from './nodes.js';
import {addRun} from './run.js';
import {addStateFlags, printState, type StateFlags} from './state.js';

export function addDaemonCommands(daemon: Command, context: Context): void {
	addStart(daemon, context);
	addRun(daemon, context);
	addStop(daemon, context);
	addRestart(daemon, context);
	addStatus(daemon, context);
	addLogs(daemon, context);
}

function addStart(daemon: Command, context: Context): void {
	const command = daemon.command('start').description('start the daemon in the background unless it is running');
	addDaemonFlags(addStateFlags(command))
		.addOption(
			new Option('--until-exit <pid>', 'run a private daemon on free ports until this process exits').argParser(
				parsePid,
			),
		)
		.action(async ({untilExit: pid, ...flags}: StateFlags & {readonly untilExit?: number}) => {
			const own = daemonFlags(flags);
			if (pid !== undefined) {
				const print = async (state: DaemonState, paths: Paths) => printState({...context, paths}, state, flags);
				// Interrupted in between, it would leave a home without the daemon that removes it.
				await untilSignal(async () => withDaemonWhile(pid, context, own, print));
				return;
			}

			const {state, isNew} = await ensureDaemon(context, own);
			if (!isNew) {
				note(context.io, 'The daemon is already running.');
			}

			await printState(context, state, flags);
		});
}

function parsePid(text: string): number {
	if (!/^[1-9]\d{0,9}$/.test(text)) {
		throw new InvalidArgumentError('It must be a process id. For the process of the shell: --until-exit $$');
	}

	return Number(text);
}

function addStop(daemon: Command, context: Context): void {
	daemon
		.command('stop')
		.description('stop the daemon gracefully')
		.action(async () => {
			const {io, paths} = context;
			await withLock(paths.startLock, async () => {
				const state = readState(paths.stateFile);
				if (isOwned(state, context)) {
					return;
				}

				if (state) {
					await stopDaemon(state, context);
					note(io, 'Stopped the daemon. Its mail is kept.');
				} else {
					note(io, 'No daemon is running.');
				}
			});
		});
}

function addRestart(daemon: Command, context: Context): void {
	const command = daemon.command('restart').description('restart the daemon; flags override its current settings');
	addDaemonFlags(addStateFlags(command)).action(async (flags: StateFlags) => {
		const running = readState(context.paths.stateFile);
		const state = isOwned(running, context) ? running : await restartDaemon(context, daemonFlags(flags));
		await printState(context, state, flags);
	});
}

/** Whether `tinbox run` owns the daemon, which ends with it and not before; if so, says it. */
function isOwned(state: DaemonState | undefined, {io}: Pick<Context, 'io'>): state is DaemonState {
	if (state?.owner !== 'run') {
		return false;
	}

	note(io, `This daemon belongs to "tinbox run" (process ${state.pid}), which stops it when its command ends.`);
	return true;
}

function addStatus(daemon: Command, context: Context): void {
	const status = daemon.command('status').description('show the state and addresses of the daemon');
	addHelpNote(status, 'The exit code is 0 if the daemon is running, and 3 if not.');
	addStateFlags(status, nodeFields)
		.option('--nodes', 'list all daemons (nodes) that share the store')
		.action(async ({nodes, ...flags}: StateFlags & {readonly nodes?: true}) => {
			const state = readState(context.paths.stateFile);
			if (!state) {
				throw new Exit(exitCodes.noDaemon, 'no_daemon', 'No daemon is running.', {
					hint: 'Start it: tinbox daemon start',
				});
			}

			await (nodes ? printNodes(context, state, flags.json) : printState(context, state, flags));
		});
}
