import type {DaemonFlags} from '../../config/settings.js';
import {withStartLock} from '../../runtime/start-lock.js';
import {type DaemonState, readState} from '../../runtime/state-file.js';
import type {Context} from '../context.js';
import {launch} from './launch.js';
import {assertSameSettings, chosenSettings} from './settings.js';
import {stopDaemon} from './stop.js';

type Needs = Pick<Context, 'io' | 'env' | 'paths'>;

export type Started = {readonly state: DaemonState; readonly isNew: boolean};

/** Starts a daemon unless one runs. Of many starts at once one does the work, the others find its daemon. */
export async function startDaemon(context: Needs, flags: DaemonFlags): Promise<Started> {
	const {stateFile, startLock} = context.paths;
	const settings = chosenSettings(context, flags);
	return withStartLock(startLock, async () => {
		const running = readState(stateFile);
		if (running) {
			assertSameSettings(running, flags);
			return {state: running, isNew: false};
		}

		return {state: await launch(context, settings), isNew: true};
	});
}

/** Puts a new daemon into the place of the running one, if any; what the flags leave open stays as it was. */
export async function restartDaemon(context: Needs, flags: DaemonFlags): Promise<DaemonState> {
	const {stateFile, startLock} = context.paths;
	return withStartLock(startLock, async () => {
		const running = readState(stateFile);
		const settings = chosenSettings(context, flags, running);
		if (running) {
			await stopDaemon(running, context);
		}

		return launch(context, settings);
	});
}
