import {readFileSync} from 'node:fs';

const everyMs = 5;
const heldMs = 50;

/**
 * Watches for how long the event loop is held. Where the system tells how long this thread was on a processor (Linux),
 * that counts: what other processes on the machine do is not our doing.
 */
export class LoopWatch {
	readonly #timer = setInterval(() => this.#look(), everyMs).unref();
	#last = now();
	#stalls = 0;
	#longestMs = 0;

	/** What was seen since it was last asked. */
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
		this.#stalls += ms >= heldMs ? 1 : 0;
	}
}

/** Milliseconds that the main thread has worked; elsewhere than on Linux, milliseconds that have passed. */
function now(): number {
	try {
		const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ');
		return Number(nanoseconds) / 1e6;
	} catch {
		return performance.now();
	}
}
