import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {restartDaemon} from '../../control/start.js';
import {addDaemonFlags, daemonFlags} from './flags.js';
import type {StartOptions} from './start.js';
import {addStateFlags, printState, type StateFlags} from './state.js';

export function addRestart(parent: Command, context: Context, run = runRestart): void {
	const command = parent.command('restart').description('stop the daemon and start it again, as it was');
	addDaemonFlags(addStateFlags(command)).action(async (flags: StateFlags) =>
		run({...flags, settings: daemonFlags(flags)}, context),
	);
}

export async function runRestart({settings, ...flags}: StartOptions, context: Context): Promise<void> {
	await printState(context, await restartDaemon(context, settings), flags);
}
