import type {Command} from 'commander';
import type {DaemonFlags} from '../../../config/settings.js';
import type {Context} from '../../context.js';
import {startDaemon} from '../../control/start.js';
import {note} from '../../output.js';
import {addDaemonFlags, daemonFlags} from './flags.js';
import {addStateFlags, printState, type StateFlags} from './state.js';

export type StartOptions = StateFlags & {readonly settings: DaemonFlags};

export function addStart(parent: Command, context: Context, run = runStart): void {
	const command = parent.command('start').description('start the daemon in the background, unless it runs');
	addDaemonFlags(addStateFlags(command)).action(async (flags: StateFlags) =>
		run({...flags, settings: daemonFlags(flags)}, context),
	);
}

export async function runStart({settings, ...flags}: StartOptions, context: Context): Promise<void> {
	const {state, isNew} = await startDaemon(context, settings);
	if (!isNew) {
		note(context.io, 'The daemon already runs.');
	}

	await printState(context, state, flags);
}
