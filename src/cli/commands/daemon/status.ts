import type {Command} from 'commander';
import {readState} from '../../../runtime/state-file.js';
import type {Context} from '../../context.js';
import {Exit, exitCodes} from '../../exit.js';
import {addStateFlags, printState, type StateFlags} from './state.js';

export function addStatus(parent: Command, context: Context, run = runStatus): void {
	addStateFlags(parent.command('status').description('tell whether the daemon runs, and where'))
		.addHelpText('after', '\nExits with 0 when it runs, with 3 when it does not.')
		.action(async (flags: StateFlags) => run(flags, context));
}

export async function runStatus(flags: StateFlags, context: Context): Promise<void> {
	const state = readState(context.paths.stateFile);
	if (!state) {
		throw new Exit(exitCodes.noDaemon, 'no_daemon', 'No daemon runs.', {hint: 'Start it: tinbox daemon start'});
	}

	await printState(context, state, flags);
}
