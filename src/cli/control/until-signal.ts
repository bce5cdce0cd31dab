const endings: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs `work` with a signal that aborts on SIGINT, SIGTERM and SIGHUP, and when stdout or stderr is closed by its reader.
 * After the cleanup, the process dies by the same signal, so that a surrounding shell loop also ends. A second signal ends
 * the process immediately.
 */
export async function untilSignal(work: (ended: AbortSignal) => Promise<void>): Promise<void> {
	const controller = new AbortController();
	const outputs = [process.stdout, process.stderr];
	let caught: NodeJS.Signals | undefined;
	const readerLeft = () => controller.abort();
	const interrupted = (signal: NodeJS.Signals) => {
		caught = signal;
		stopListening();
		controller.abort();
	};
	const stopListening = () => {
		for (const signal of endings) {
			process.off(signal, interrupted);
		}
	};
	for (const signal of endings) {
		process.on(signal, interrupted);
	}

	// SIGPIPE is not handled: removing its handler would make a later closed connection end the process.
	for (const stream of outputs) {
		stream.on('left', readerLeft);
	}

	try {
		await work(controller.signal);
	} finally {
		for (const stream of outputs) {
			stream.off('left', readerLeft);
		}

		stopListening();
	}

	if (caught) {
		process.kill(process.pid, caught);
	}
}
