/** Signals that end the process by default, without waiting for anything. */
const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

type GuardHooks = {readonly restore: () => void; readonly resume: () => void};

/**
 * Calls `restore`, which must be synchronous, however the process ends, and `resume` when the shell continued it. A
 * signal still ends the process as the signal, an exception as the exception. The result removes the guard.
 */
export function guardTerminal({restore, resume}: GuardHooks): () => void {
	const listeners = new Map<string, () => void>([
		['exit', restore],
		['uncaughtExceptionMonitor', restore],
		['SIGCONT', resume],
		...signals.map(signal => [signal, () => end(signal)] as const),
	]);
	const release = () => {
		for (const [event, listener] of listeners) {
			process.off(event, listener);
		}
	};
	const end = (signal: NodeJS.Signals) => {
		restore();
		release();
		process.kill(process.pid, signal);
	};
	for (const [event, listener] of listeners) {
		process.on(event, listener);
	}

	return release;
}
