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

/** Sources of the metrics that are read on request. */
export type MetricSources = {
	readonly store: Pick<Store, 'usage' | 'size' | 'isAvailable'>;
	readonly facts: ProcessFacts;
	open(): OpenWaits;
	sessions(): SessionsBySafety;
	now(): Date;
};

/** Metrics of a daemon in the text format of Prometheus. No label identifies a user, inbox or address. */
export function createMetrics({store, facts, open, sessions, now}: MetricSources) {
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
		/** Started and stopped with the daemon. */
		eventLoop: watchEventLoop(registry),
		type: registry.contentType,
		/** Concurrent requests share one result. */
		read: async () => {
			reading ??= registry.metrics().finally(() => {
				reading = undefined;
			});
			return reading;
		},
	};
}
