import os from 'node:os';

/**
 * Returns a function for the average number of processors available since this call: those that the tested processes used,
 * and idle ones. Processors used by other programs do not count.
 * @param {() => number} used total CPU time of the tested processes in milliseconds
 */
export function watchProcessors(used) {
	const before = {at: performance.now(), idle: idle(), used: used()};
	return () => {
		const free = idle() - before.idle + used() - before.used;
		return free / (performance.now() - before.at);
	};
}

/** Total idle time of the processors in milliseconds. */
function idle() {
	return os.cpus().reduce((sum, {times}) => sum + times.idle, 0);
}
