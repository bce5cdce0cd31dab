import {runInNewContext} from 'node:vm';

/** Far more than anything takes here whose time grows with the length of its input, on however busy a machine. */
const patienceMs = 10_000;

/** Runs what would keep this thread busy for ever if it were wrong, and fails if it does: no timer could end it. */
export function inTime<T>(work: () => T): T {
	return runInNewContext('work()', {work}, {timeout: patienceMs});
}
