import {Counter, Histogram, type Registry} from 'prom-client';
import {sendProviders} from '../contract/constants.js';
import type {Observer} from '../services/observer.js';

/** Mail as it comes in, by the way it comes. */
export function mailMetrics(registry: Registry): Pick<Observer, 'mail' | 'commit'> {
	const registers = [registry];
	const mails = new Counter({
		name: 'tinbox_mails_total',
		help: 'Completely received mails, by way (smtp, a sending API, or the daemon itself) and outcome (kept, faulted, failed, or an error code).',
		labelNames: ['way', 'outcome'],
		registers,
	});
	const bytes = new Counter({
		name: 'tinbox_mail_bytes_total',
		help: 'Bytes of stored mail.',
		labelNames: ['way'],
		registers,
	});
	const commits = new Histogram({
		name: 'tinbox_mail_commit_seconds',
		help: 'Time from the receipt and parsing of a mail until it was durable.',
		buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
		registers,
	});
	// A rate needs a first value to begin with.
	for (const way of ['smtp', ...sendProviders]) {
		mails.inc({way, outcome: 'kept'}, 0);
		bytes.inc({way}, 0);
	}

	return {
		mail(way, outcome) {
			mails.inc({way, outcome});
		},
		commit(way, size, seconds) {
			bytes.inc({way}, size);
			commits.observe(seconds);
		},
	};
}
