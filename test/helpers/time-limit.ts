import {runInNewContext} from 'node:vm';

/** Far more than code with linear time needs, even on a busy machine. */
const timeoutMs = 10_000;

/** Runs synchronous code with a timeout. It uses `node:vm`, since no timer can interrupt a busy thread. */
export function withTimeLimit<T>(work: () => T): T {
	return runInNewContext('work()', {work}, {timeout: timeoutMs});
}
