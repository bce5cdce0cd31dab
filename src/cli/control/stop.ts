import {setTimeout as sleep} from 'node:timers/promises';
import {isAlive} from '../../lib/io/process-lock.js';
import {type DaemonState, removeState} from '../../runtime/state-file.js';
import type {Context} from '../context.js';
import {note} from '../output/print.js';

/** Longer than a webhook attempt that was just begun, which may take 15 s. */
const stopTimeoutMs = 20_000;

const pollMs = 20;

/** Lets the daemon finish what it is doing and returns when its process is gone; one that hangs is killed. */
export async function stopDaemon(
	state: DaemonState,
	{io, paths}: Pick<Context, 'io' | 'paths'>,
	timeoutMs = stopTimeoutMs,
): Promise<void> {
	signal(state, 'SIGTERM');
	if (!(await isGone(state, timeoutMs))) {
		note(io, `The daemon (process ${state.pid}) did not stop within ${timeoutMs / 1000} s. Killing it.`);
		signal(state, 'SIGKILL');
		await isGone(state, timeoutMs);
	}

	await removeState(paths.stateFile, state);
}

/** Signals only the process that wrote the state: its pid may belong to another process by now. */
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

		await sleep(pollMs);
	}

	return true;
}
