import {Registry} from 'prom-client';
import type {Observer} from '../services/observer.js';
import type {Store} from '../store/port.js';
import {type ProcessFacts, processMetrics, watchEventLoop} from './process.js';
import {storeMetrics} from './store.js';
import {
	mailMetrics,
	type OpenWaits,
	refusalMetrics,
	type SessionsBySafety,
	smtpMetrics,
	waitMetrics,
	webhookMetrics,
} from './traffic.js';

/** What is looked at when somebody asks for the metrics. */
export type Looks = {
	readonly store: Pick<Store, 'usage' | 'size' | 'isAvailable'>;
	readonly facts: ProcessFacts;
	open(): OpenWaits;
	sessions(): SessionsBySafety;
	now(): Date;
};

/**
 * All that is measured of a daemon, to be read by Prometheus in its text format. Nothing tells one user, inbox or address from another.
 */
export function createMetrics({store, facts, open, sessions, now}: Looks) {
	const registry = new Registry();
	processMetrics(registry, facts);
	const observer: Observer = {
		...mailMetrics(registry),
		...waitMetrics(registry, open),
		...webhookMetrics(registry, now),
		...refusalMetrics(registry),
	};
	smtpMetrics(registry, sessions);
	storeMetrics(registry, store);
	let reading: Promise<string> | undefined;
	return {
		observer,
		/** To be started and stopped with the daemon. */
		eventLoop: watchEventLoop(registry),
		type: registry.contentType,
		/** Who asks at the same moment is told the same. */
		read: async () => {
			reading ??= registry.metrics().finally(() => {
				reading = undefined;
			});
			return reading;
		},
	};
}
