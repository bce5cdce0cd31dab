import type {Command} from 'commander';
import {withStartLock} from '../../../runtime/start-lock.js';
import {readState} from '../../../runtime/state-file.js';
import type {Context} from '../../context.js';
import {stopDaemon} from '../../control/stop.js';
import {note} from '../../output.js';

export function addStop(parent: Command, context: Context, run = runStop): void {
	parent
		.command('stop')
		.description('let the daemon finish and stop it')
		.action(async () => run(context));
}

export async function runStop(context: Context): Promise<void> {
	const {io, paths} = context;
	await withStartLock(paths.startLock, async () => {
		const state = readState(paths.stateFile);
		if (state) {
			await stopDaemon(state, context);
			note(io, 'The daemon has stopped. Its mail is kept.');
		} else {
			note(io, 'No daemon runs.');
		}
	});
}
