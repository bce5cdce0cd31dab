import {setTimeout as sleep} from 'node:timers/promises';
import {isAlive} from '../../lib/process-birth.js';
import {type DaemonState, removeState} from '../../runtime/state-file.js';
import type {Context} from '../context.js';
import {note} from '../output.js';

/** The longest wait is a webhook attempt of 15 s that was just begun. */
const patienceMs = 20_000;

const lookAgainMs = 20;

/** Lets the daemon finish what it is doing and returns when its process is gone; one that hangs is killed. */
export async function stopDaemon(
	state: DaemonState,
	{io, paths}: Pick<Context, 'io' | 'paths'>,
	patience = patienceMs,
): Promise<void> {
	signal(state, 'SIGTERM');
	if (!(await isGone(state, patience))) {
		note(io, `The daemon (process ${state.pid}) did not stop within ${patience / 1000} s and is killed.`);
		signal(state, 'SIGKILL');
		await isGone(state, patience);
	}

	await removeState(paths.stateFile, state);
}

/** Only to the very process that wrote the state: by now its pid may be somebody else's. */
function signal(state: DaemonState, name: NodeJS.Signals): void {
	if (isAlive(state)) {
		process.kill(state.pid, name);
	}
}

async function isGone(state: DaemonState, withinMs: number): Promise<boolean> {
	const deadline = performance.now() + withinMs;
	while (isAlive(state)) {
		if (performance.now() > deadline) {
			return false;
		}

		await sleep(lookAgainMs);
	}

	return true;
}
