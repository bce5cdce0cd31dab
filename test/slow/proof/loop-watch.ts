import {readFileSync} from 'node:fs';

const intervalMs = 5;
const stallMs = 50;

/**
 * Measures how long the event loop is blocked. On Linux, it uses the CPU time of the main thread, which excludes delays by
 * other processes.
 */
export class LoopWatch {
	readonly #timer = setInterval(() => this.#look(), intervalMs).unref();
	#last = now();
	#stalls = 0;
	#longestMs = 0;

	/** Returns the stalls since the last call. */
	take(): {readonly stalls: number; readonly longestMs: number} {
		this.#look();
		const seen = {stalls: this.#stalls, longestMs: this.#longestMs};
		this.#stalls = 0;
		this.#longestMs = 0;
		return seen;
	}

	stop(): void {
		clearInterval(this.#timer);
	}

	#look(): void {
		const at = now();
		const ms = at - this.#last;
		this.#last = at;
		this.#longestMs = Math.max(this.#longestMs, ms);
		this.#stalls += ms >= stallMs ? 1 : 0;
	}
}

/** CPU time of the main thread in milliseconds; wall-clock time on other systems than Linux. */
function now(): number {
	try {
		const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ');
		return Number(nanoseconds) / 1e6;
	} catch {
		return performance.now();
	}
}
