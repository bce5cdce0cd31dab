import os from 'node:os';

/**
 * How many processors some processes could have had since now: those that they used, and those that nobody did. What
 * other programs on the machine take is missing.
 * @param {() => number} used the milliseconds for which these processes were on a processor, in all
 */
export function watchProcessors(used) {
	const before = {at: performance.now(), idle: idle(), used: used()};
	return () => {
		const free = idle() - before.idle + used() - before.used;
		return free / (performance.now() - before.at);
	};
}

/** Milliseconds for which processors had nothing to do. */
function idle() {
	return os.cpus().reduce((sum, {times}) => sum + times.idle, 0);
}
