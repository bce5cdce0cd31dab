import {randomInt} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';

/** Steps of commits, snapshots and reclaims: system call and kind of file. */
const steps = [
	...['write journal', 'datasync journal', 'open sources', 'write sources', 'datasync sources', 'sync sources'],
	...['open journal', 'sync journal', 'open snapshots', 'write snapshots', 'sync snapshots', 'rename snapshots'],
	...['unlink snapshots', 'unlink journal', 'unlink sources'],
];

/** Moments at which kills leave different states on disk. */
export const moments = steps.flatMap(step => [`before ${step}`, `after ${step}`]);

/** Timeout until the daemon reaches a step. */
const patienceMs = 20_000;

/**
 * Kills a daemon at the given moments in turn.
 * @param {readonly string[]} moments
 * @returns {import('./kill-loop.js').Kill}
 */
export function killAtSteps(moments) {
	let turn = 0;
	return async daemon => {
		const moment = moments[turn++ % moments.length] ?? '';
		await sleep(randomInt(0, 100));
		const over = new AbortController();
		const isReached = await Promise.race([
			daemon.killAt(moment).then(() => true),
			sleep(patienceMs, false, {signal: over.signal}).catch(() => false),
		]);
		over.abort();
		await daemon.kill();
		return isReached;
	};
}
