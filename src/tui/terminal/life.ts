/** Signals whose default is to end the process, and which leave no time for anything that waits. */
const endings = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

export type LifeHooks = {
	/** Puts the terminal back, synchronously. */
	readonly restore: () => void;
	/** Draws everything anew after the shell continued the program. */
	readonly resume: () => void;
};

/**
 * Takes care that the terminal is put back however the process ends or stops. A signal ends the process as the
 * signal, an exception as the exception. The result stops taking care.
 */
export function guardTerminal({restore, resume}: LifeHooks): () => void {
	const listeners = new Map<NodeJS.Signals, () => void>();
	const release = () => {
		process.off('exit', restore);
		process.off('uncaughtExceptionMonitor', restore);
		for (const [signal, listener] of listeners) {
			process.off(signal, listener);
		}
	};
	for (const signal of endings) {
		listeners.set(signal, () => {
			restore();
			release();
			process.kill(process.pid, signal);
		});
	}

	listeners.set('SIGCONT', resume);
	process.on('exit', restore);
	process.on('uncaughtExceptionMonitor', restore);
	for (const [signal, listener] of listeners) {
		process.on(signal, listener);
	}

	return release;
}

/**
 * Stops the program and its process group, as the terminal's own Ctrl-Z does, and returns once it was continued.
 * Where nobody could continue it, the system does not stop it.
 */
export function stopUntilContinued(): void {
	process.kill(0, 'SIGTSTP');
}
