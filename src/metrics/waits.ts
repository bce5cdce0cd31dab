import {Gauge, Histogram, type Registry} from 'prom-client';
import type {Observer} from '../services/observer.js';

/** Requests that are held open for news. */
export type OpenWaits = {readonly waits: number; readonly streams: number};

export function waitMetrics(registry: Registry, open: () => OpenWaits): Pick<Observer, 'wakeUp'> {
	const registers = [registry];
	new Gauge({
		name: 'tinbox_waits_open',
		help: 'Open long polls for mail.',
		registers,
		collect() {
			this.set(open().waits);
		},
	});
	new Gauge({
		name: 'tinbox_event_streams_open',
		help: 'Open event streams.',
		registers,
		collect() {
			this.set(open().streams);
		},
	});
	const wakeUps = new Histogram({
		name: 'tinbox_wait_wake_up_seconds',
		help: 'Time from the commit of a mail, or from the notification by another node, to the response of a wait.',
		buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
		registers,
	});
	return {
		wakeUp(seconds) {
			wakeUps.observe(seconds);
		},
	};
}
