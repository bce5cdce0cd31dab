import {readdir} from 'node:fs/promises';
import {Counter, Gauge, Histogram, type Registry} from 'prom-client';
import type {Part} from '../lib/lifecycle.js';

export type ProcessFacts = {
	readonly version: string;
	/** Kind of the store. */
	readonly store: 'files' | 'postgres';
	/** Limit of open files. */
	readonly openFiles: number;
};

/** Process metrics under the standard names of Prometheus client libraries, and build information. */
export function processMetrics(registry: Registry, {version, store, openFiles}: ProcessFacts): void {
	const registers = [registry];
	new Gauge({
		name: 'tinbox_build_info',
		help: 'Always 1; the labels name the versions of tinbox and Node.js and the kind of store.',
		labelNames: ['version', 'node_version', 'store'],
		registers,
	}).set({version, node_version: process.version, store}, 1);
	new Counter({
		name: 'process_cpu_seconds_total',
		help: 'Total user and system CPU time of the process in seconds.',
		registers,
		collect() {
			const {user, system} = process.cpuUsage();
			this.reset();
			this.inc((user + system) / 1e6);
		},
	});
	const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
		new Gauge({
			name,
			help,
			registers,
			async collect() {
				this.set(await read());
			},
		});
	const startedAt = Math.round(performance.timeOrigin) / 1000;
	gauge('process_start_time_seconds', 'Start time of the process in seconds since the Unix epoch.', () => startedAt);
	gauge('process_resident_memory_bytes', 'Resident memory of the process in bytes.', () => process.memoryUsage.rss());
	gauge('process_max_fds', 'Maximum number of open file descriptors.', () => openFiles);
	gauge(
		'nodejs_heap_size_total_bytes',
		'Total size of the JavaScript heap in bytes.',
		() => process.memoryUsage().heapTotal,
	);
	gauge(
		'nodejs_heap_size_used_bytes',
		'Used size of the JavaScript heap in bytes.',
		() => process.memoryUsage().heapUsed,
	);
	if (process.platform === 'linux') {
		gauge('process_open_fds', 'Number of open file descriptors.', async () => {
			return (await readdir('/proc/self/fd')).length;
		});
	}
}

const everyMs = 100;

/** Measures the delay of a timer, which is the time that the event loop was blocked. */
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
