/** Signals that end a program unless it handles them. */
const endings: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs work until it is interrupted. The first signal aborts `ended` and is raised again once the work has cleaned up, so
 * that a loop in the user's shell ends, too; a second signal ends the process at once. `ended` also aborts when the reader
 * of stdout is gone.
 */
export async function untilSignal(work: (ended: AbortSignal) => Promise<void>): Promise<void> {
	const controller = new AbortController();
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

	// No SIGPIPE: whoever stops listening for that is ended by the next connection that is gone.
	for (const stream of [process.stdout, process.stderr]) {
		stream.on('left', readerLeft);
	}

	try {
		await work(controller.signal);
	} finally {
		for (const stream of [process.stdout, process.stderr]) {
			stream.off('left', readerLeft);
		}

		stopListening();
	}

	if (caught) {
		process.kill(process.pid, caught);
	}
}
