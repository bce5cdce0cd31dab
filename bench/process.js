import {readFile} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';

/** Unit of CPU time in /proc on Linux. */
const tickMs = 10;

/** @param {number} pid */
export async function residentMegabytes(pid) {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/**
 * CPU time (user and system) of all threads of a process and of its children that have ended.
 * @param {number} pid
 * @returns {Promise<number>} milliseconds in steps of 10; NaN without /proc
 */
export async function cpuMs(pid) {
	const {own, children} = await cpuTimes(pid);
	return own + children;
}

/** CPU time of the children of this process that have ended. */
export async function childrenCpuMs() {
	return (await cpuTimes(process.pid)).children;
}

/** @param {number} pid */
async function cpuTimes(pid) {
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
	// The program name is in parentheses and may contain some; the times are words 12 to 15 after it.
	const words = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
	const sum = (/** @type {number} */ index) => (Number(words[index]) + Number(words[index + 1])) * tickMs;
	return {own: sum(11), children: sum(13)};
}

/**
 * Waits until a process is idle, at most 5 s, since deferred work belongs to the load that caused it.
 * @param {number} pid
 */
export async function atRest(pid) {
	let before = await cpuMs(pid);
	for (let tries = 0; tries < 20; tries++) {
		await sleep(250);
		const now = await cpuMs(pid);
		if (!(now - before > tickMs)) {
			return;
		}

		before = now;
	}
}
