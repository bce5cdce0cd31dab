import {Histogram, type Registry} from 'prom-client';
import type {Part} from '../lib/lifecycle.js';

const everyMs = 100;

/** Measures how late a timer is: for that long, nobody else had a turn. */
export function watchEventLoop(registry: Registry): Part {
	const delays = new Histogram({
		name: 'tinbox_event_loop_delay_seconds',
		help: 'Delay of the event loop, sampled ten times a second.',
		buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
		registers: [registry],
	});
	let timer: NodeJS.Timeout | undefined;
	return {
		name: 'event loop watch',
		async start() {
			let due = performance.now() + everyMs;
			timer = setInterval(() => {
				const now = performance.now();
				delays.observe(Math.max(0, now - due) / 1000);
				due = now + everyMs;
			}, everyMs).unref();
		},
		async stop() {
			clearInterval(timer);
		},
	};
}
